// node esbuild.mjs [--watch] [--tests] [--production] [--outdir=DIR]: bundles the extension, the
// chat's page and, with --tests, the tests, into dist/ or DIR. With --production they are small,
// it is said how small, and an error if they are not.
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

const args = new Set(process.argv.slice(2));
const outdir =
  [...args].find((arg) => arg.startsWith('--outdir='))?.slice('--outdir='.length) ?? 'dist';
const production = args.has('--production');

/** How large all of it may be together, in bytes: it is loaded whenever VS Code starts. */
const most = 1024 * 1024;

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  outdir,
};

/** What runs in the extension host. VS Code 1.104 runs it on Node 22. */
const host = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode', 'mocha'],
};

/**
 * The language client is most of what runs there, and is not needed before acp-ls is started. In
 * a file of its own it is not read either until then.
 */
const client = 'vscode-languageclient/node';
const apart = {
  name: 'apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: new RegExp(`^${client}$`) }, () => ({ path: './client', external: true })),
};

/**
 * VS Code's own module, once for a whole file. What imports all of it would otherwise ask for it and
 * copy its names, some 350, in each of 40 places: most of the time that loading takes. Of
 * what only inherits them nothing is copied, by esbuild as by the language client's compiler.
 */
const once = {
  name: 'once',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'once'
        ? { path: 'vscode', external: true }
        : { path: 'vscode', namespace: 'once' },
    );
    onLoad({ filter: /^vscode$/, namespace: 'once' }, () => ({
      contents:
        "module.exports = Object.create(require('vscode'), { __esModule: { value: true } });",
    }));
  },
};

const builds = [
  { ...host, entryPoints: { extension: 'src/extension.ts' }, plugins: [apart, once] },
  { ...host, entryPoints: { client }, plugins: [once] },
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
  rmSync(`${outdir}/test`, { recursive: true, force: true }); // tests that were renamed or removed
  const tests = {
    ...host,
    minify: false,
    sourcemap: 'inline',
    outbase: 'test',
    outdir: `${outdir}/test`,
  };
  builds.push(
    { ...tests, entryPoints: testFiles('test/host') },
    // These run without VS Code: what they test does not use it, whatever its file imports.
    {
      ...tests,
      entryPoints: testFiles('test/unit'),
      external: ['mocha'],
      alias: { vscode: './test/unit/vscode.ts' },
      logOverride: { 'import-is-undefined': 'silent' },
    },
  );
}

if (args.has('--watch')) {
  for (const build of builds) {
    const context = await esbuild.context({ ...build, logLevel: 'info' });
    await context.watch();
  }
} else {
  await Promise.all(builds.map((build) => esbuild.build(build)));
  if (production) {
    let sum = 0;
    for (const file of ['extension.js', 'client.js', 'chat.js', 'chat.css']) {
      const { size } = statSync(path.join(outdir, file));
      process.stdout.write(`${file} ${Math.ceil(size / 1024)} kB\n`);
      sum += size;
    }
    if (sum > most) {
      process.stderr.write(`${outdir}: ${sum} bytes, and no more than ${most} are allowed\n`);
      process.exit(1);
    }
  }
}
