// node test/person/run.mjs [PACKAGE] [--only STORY] [--some] [--keep]: what a person sees and does, with the
// packaged extension (dist/acp-ls-linux-x64.vsix) in a real VS Code. Each story (stories/*.mjs) has
// a window of its own: the first without any setting, with the demonstration agent, the others
// with the agent of tests (test/agent.mjs). Pictures go to ACPLS_TEST_PICTURES, in the
// colours of ACPLS_TEST_THEME. Exit code 0 if all went well. --some plays the chief stories and a
// third of the others, which one is said by the commit.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  endOnSignals,
  extension,
  openBrowser,
  root,
  startVSCode,
  writeSettings,
} from '../vscode.mjs';
import * as ahead from './stories/ahead.mjs';
import * as clean from './stories/clean.mjs';
import * as crash from './stories/crash.mjs';
import * as dirty from './stories/dirty.mjs';
import * as files from './stories/files.mjs';
import * as first from './stories/first.mjs';
import * as folders from './stories/folders.mjs';
import * as haste from './stories/haste.mjs';
import * as hotexit from './stories/hotexit.mjs';
import * as keyboard from './stories/keyboard.mjs';
import * as lenses from './stories/lenses.mjs';
import * as openings from './stories/openings.mjs';
import * as peek from './stories/peek.mjs';
import * as questions from './stories/questions.mjs';
import * as reload from './stories/reload.mjs';
import * as renamed from './stories/renamed.mjs';
import * as saveas from './stories/saveas.mjs';
import * as silent from './stories/silent.mjs';
import * as trust from './stories/trust.mjs';
import * as undo from './stories/undo.mjs';
import * as whole from './stories/whole.mjs';
import { Window } from './window.mjs';

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, some: { type: 'boolean' }, keep: { type: 'boolean' } },
  allowPositionals: true,
});
const pkg = path.resolve(positionals[0] ?? path.join(root, 'dist/acp-ls-linux-x64.vsix'));
const pictures = process.env.ACPLS_TEST_PICTURES;
const stories = {
  first,
  files,
  undo,
  crash,
  silent,
  reload,
  clean,
  dirty,
  questions,
  lenses,
  keyboard,
  haste,
  ahead,
  peek,
  trust,
  hotexit,
  renamed,
  saveas,
  openings,
  folders,
  whole,
};
/**
 * Stories that are played by themselves: in a VS Code that has shown other windows, its search and
 * its dialogs for files do not always answer.
 */
const apart = ['folders', 'openings', 'saveas'];
/** The chief stories: what a turn is, and what no user may lose. */
const chief = ['first', 'files', 'undo', 'crash', 'reload', 'clean', 'dirty', 'questions'];
if (values.only && !(values.only in stories)) {
  console.error(`no story is called '${values.only}': one of ${Object.keys(stories).join(', ')}`);
  process.exit(2);
}

/** How many windows are played in at once: of two, one is told keys late on a busy machine. */
const atOnce = 1;

/** All of it takes a quarter of an hour on a slow and busy machine; what takes this long, in milliseconds, hangs. */
const limit = 30 * 60_000;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-person-'));
endOnSignals(home);
const agent = path.join(extension, 'test/agent.mjs');
const settings = {
  'security.workspace.trust.enabled': false, // but for stories about that
  'editor.autoIndent': 'none',
  ...(process.env.ACPLS_TEST_THEME && { 'workbench.colorTheme': process.env.ACPLS_TEST_THEME }),
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
};
const withScript = {
  ...settings,
  'workbench.editor.enablePreview': false,
  'editor.scrollBeyondLastLine': false, // so that all of a short text is on the screen
  'acpls.defaultAgent': 'script',
  'acpls.agents': {
    script: { command: process.execPath, args: [agent] },
    deaf: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }, // never answers
    keeper: { command: process.execPath, args: [agent, '--keep', path.join(home, 'kept')] },
  },
};

const began = Date.now();
const since = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
const failed = [];
let vscode;
let browser;

/** The stories that are played in one VS Code. */
function together() {
  const all = Object.keys(stories).filter((name) => !apart.includes(name));
  if (!values.some) {
    return all;
  }
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const third = Number.parseInt(commit.slice(0, 8), 16) % 3;
  const others = all.filter((name) => !chief.includes(name));
  const left = others.filter((_, i) => i % 3 !== third);
  console.log(`not played for this commit (without --some all are): ${left.join(', ')}`);
  return all.filter((name) => !left.includes(name));
}

/** Plays a story in a window of its own. */
async function play(name, story) {
  let window;
  try {
    writeSettings(home, {
      ...(story === first ? settings : withScript),
      'security.workspace.trust.enabled': story.trust === true,
    });
    window = await Window.open(browser.context, {
      base: vscode.base,
      home,
      project: path.join(home, 'projects', story.project ?? name),
      files: story.files,
      folders: story.folders,
      pictures,
      trusted: story.trust !== true,
    });
    await story.play(window, async (step, act) => {
      await act();
      console.log(`ok   ${name}: ${step} (${since()})`);
      await window.picture(`${name} ${step}`);
    });
    if (window.problems.length > 0) {
      throw new Error(window.problems.join('\n'));
    }
    await window.close();
  } catch (err) {
    failed.push(`${name}: ${err.message.split('\n', 1)[0]}`);
    console.error(`FAIL ${name} (${since()})\n${err.stack}`);
    await window?.picture(`${name} failed`).catch(() => undefined);
    await window?.page.close().catch(() => undefined);
  }
}

setTimeout(async () => {
  console.error(`it has not ended after ${since()}: kept: ${home}`);
  await vscode?.stop();
  process.exit(1);
}, limit).unref();
try {
  vscode = await startVSCode({ home, install: [pkg], settings, trust: false });
  browser = await openBrowser();
  const names = values.only === undefined ? together() : [values.only];
  const wanted = Object.entries(stories).filter(([name]) => names.includes(name));
  if (wanted[0][1] === first) {
    await play(...wanted.shift());
  }
  const worker = async () => {
    for (let next = wanted.shift(); next; next = wanted.shift()) {
      await play(...next);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
} catch (err) {
  failed.push('start');
  console.error(err);
} finally {
  await browser?.close().catch(() => undefined);
  await vscode?.stop();
  if (values.keep || failed.length > 0) {
    console.error(`kept: ${home}`);
  } else {
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
console.log(failed.length === 0 ? `all went well (${since()})` : `failed: ${failed.join('; ')}`);
process.exit(failed.length === 0 ? 0 : 1);
