// node test/host.mjs [--grep TEXT] [--keep]: runs the tests in test/host inside the extension host
// of a real VS Code,
// against acp-ls as it is in this repository (or ACP_LS_PROGRAM). Exit code 0 if all passed.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  endOnSignals,
  extension,
  openBrowser,
  root,
  startVSCode,
  workbenchUrl,
} from './vscode.mjs';

const grep = process.argv.includes('--grep')
  ? process.argv[process.argv.indexOf('--grep') + 1]
  : undefined;
/** In milliseconds; all of it takes a minute or two, and more on a busy machine. */
const limit = 30 * 60_000;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-host-'));
endOnSignals(home);
const workspace = path.join(home, 'workspace');
fs.mkdirSync(workspace);
const agent = path.join(extension, 'test/agent.mjs');
const program = process.env.ACP_LS_PROGRAM || path.join(home, 'acp-ls');
if (!process.env.ACP_LS_PROGRAM) {
  execFileSync('go', ['build', '-o', program, './cmd/acp-ls'], { cwd: root, stdio: 'inherit' });
}
const report = path.join(home, 'report');
const seen = path.join(home, 'seen');
const empty = path.join(home, 'extensions/acp-ls.empty-0.0.0'); // as if it were installed
fs.cpSync(path.join(extension, 'test/empty'), empty, { recursive: true });
let code = 1;
let vscode;
let browser;
try {
  vscode = await startVSCode({
    home,
    driver: true,
    settings: {
      'acpls.server.path': program,
      'acpls.defaultAgent': 'script',
      'acpls.agents': {
        script: { command: process.execPath, args: [agent] },
        deaf: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }, // never answers
        keeper: { command: process.execPath, args: [agent, '--keep', path.join(home, 'kept')] },
      },
    },
    env: {
      ACPLS_TEST_REPORT: report,
      ACPLS_TEST_SEEN: seen,
      ACPLS_TEST_KEPT: path.join(home, 'kept'),
      ACPLS_TEST_WORKSPACE: workspace,
      ...(grep && { ACPLS_TEST_GREP: grep }),
    },
  });
  const remote = (file) => `vscode-remote://${new URL(vscode.base).host}${file}`;
  browser = await openBrowser({ size: { width: 700, height: 500 } }); // nobody looks at it
  const page = await browser.context.newPage();
  const ended = new Promise((resolve) => {
    void page.exposeFunction('codeAutomationExit', resolve);
    setTimeout(() => resolve('timeout'), limit).unref();
  });
  // What the workbench logs is kept beside the rest; refused edits and failed saves are in there.
  const log = fs.createWriteStream(path.join(home, 'workbench.log'));
  await page.exposeFunction('codeAutomationLog', (type, args) => {
    log.write(`${type} ${args.join(' ')}\n`);
  });
  const url = workbenchUrl(vscode.base, workspace, [
    ['extensionDevelopmentPath', remote(extension)],
    ['extensionTestsPath', remote(path.join(extension, 'dist/test/host/index.js'))],
    ['skipWelcome', 'true'],
  ]);
  await page.goto(url, { waitUntil: 'domcontentloaded', timeout: limit });
  const times = activation(page);
  const result = await ended;
  if (process.env.ACPLS_TEST_SHOT) {
    await page.screenshot({ path: process.env.ACPLS_TEST_SHOT });
  }
  const passed = print(report);
  const { said, failed } = await times;
  console.log(said.join('\n'));
  if (failed !== undefined) {
    console.error(`it was not seen how long activating takes: ${failed}`);
  }
  code = result === 0 && passed && failed === undefined ? 0 : 1;
  if (result !== 0) {
    console.error(`the extension host ended with ${result}`);
  }
} finally {
  await browser?.close().catch(() => undefined);
  await vscode?.stop();
  if (process.argv.includes('--keep') || code !== 0) {
    console.error(`kept: ${home}`);
  } else {
    fs.rmSync(home, { recursive: true, force: true });
  }
}
process.exit(code);

/**
 * How long VS Code says that it took to load and activate this extension, and an empty one that is
 * activated with it, by the same event. VS Code counts from before it has loaded those of its own
 * that are activated by that event too; alone, the empty one would not be charged for these.
 */
async function activation(page) {
  const list = page.locator('.runtime-extensions-editor .monaco-list');
  const said = async (name) => {
    const row = list.locator(`.monaco-list-row[aria-label="${name}"] .activation-time`);
    // The slowest come first, only what fits is there, and the list grows while extensions begin.
    for (let pages = 0; pages < 100 && (await row.count()) === 0; pages++) {
      await list.press(pages % 10 === 9 ? 'Home' : 'PageDown');
    }
    return `${name}: ${await row.textContent({ timeout: 10_000 })}`;
  };
  try {
    await list.waitFor({ timeout: limit });
    const own = await said('acp-ls');
    await list.press('Home');
    return { said: [own, await said('empty')] };
  } catch (err) {
    return { said: [], failed: err.message };
  } finally {
    fs.writeFileSync(seen, '');
  }
}

/** Prints what the tests said, as far as they have come; false if one has failed, or none has ended. */
function print(file) {
  if (!fs.existsSync(file)) {
    console.error('no test has run');
    return false;
  }
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  const tests = lines.map((line) => JSON.parse(line));
  for (const { title, ms, failed } of tests) {
    console.log(`${failed ? 'FAIL' : 'ok  '} ${title} (${ms} ms)`);
    if (failed) {
      console.log(failed);
    }
  }
  const passed = tests.filter(({ failed }) => !failed).length;
  console.log(`${passed} of ${tests.length} passed`);
  return passed === tests.length;
}
