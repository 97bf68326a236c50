// node esbuild.mjs [--watch] [--tests] [--production]: bundles the extension, the chat's page
// and, with --tests, the tests, into dist/. With --production also says how large they are.
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const args = new Set(process.argv.slice(2));
const production = args.has('--production');

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  outdir: 'dist',
};

/** What runs in the extension host. VS Code 1.104 runs it on Node 22. */
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode', 'mocha'],
};

const builds = [
  { ...host, entryPoints: { extension: 'src/extension.ts' } },
  {
    ...common,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    entryPoints: { chat: 'src/chat/ui/main.ts' },
  },
  { ...common, entryPoints: { chat: 'src/chat/ui/chat.css' } },
];

/** Files that mocha loads, and what it is started by. */
function testFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => /(\.test|index)\.ts$/.test(file))
    .map((file) => path.join(folder, file));
}

if (args.has('--tests')) {
  rmSync('dist/test', { recursive: true, force: true }); // tests that were renamed or removed
  builds.push({
    ...host,
    sourcemap: 'inline',
    entryPoints: testFiles('test'),
    outbase: 'test',
    outdir: 'dist/test',
  });
}

if (args.has('--watch')) {
  for (const build of builds) {
    const context = await esbuild.context({ ...build, logLevel: 'info' });
    await context.watch();
  }
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
  if (production) {
    for (const file of ['extension.js', 'chat.js', 'chat.css']) {
      process.stdout.write(`dist/${file} ${Math.ceil(statSync(`dist/${file}`).size / 1024)} kB\n`);
    }
  }
}
