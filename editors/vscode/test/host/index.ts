/** Runs inside the extension host: what test/host.mjs starts. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { patience } from './lib';

/** Notes each test, and each hook that has failed, as a line, when it has ended. */
class Lines extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const note = (test: Mocha.Runnable, failed?: string): void => {
      const line = { title: test.fullTitle(), ms: test.duration ?? 0, failed };
      fs.appendFileSync(process.env.ACPLS_TEST_REPORT ?? '', `${JSON.stringify(line)}\n`);
    };
    runner.on('pass', (test) => note(test));
    runner.on('fail', (test, err) => note(test, err.stack ?? err.message));
  }
}

export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: 3 * patience, // a test that waits for what never is says so itself before that
    reporter: Lines,
    ...(process.env.ACPLS_TEST_GREP && { grep: process.env.ACPLS_TEST_GREP }),
  });
  for (const file of fs.readdirSync(__dirname).sort()) {
    if (file.endsWith('.test.js')) {
      mocha.addFile(path.join(__dirname, file));
    }
  }
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => {
    mocha.run(resolve);
  });
  // Where VS Code says how long each extension took to start, as long as it runs: test/host.mjs
  // reads it, and then makes a file.
  await vscode.commands.executeCommand('workbench.action.showRuntimeExtensions');
  await appears(process.env.ACPLS_TEST_SEEN ?? '', patience);
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}

/** Resolves when there is a file, or after `ms`. */
function appears(file: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      watcher.close();
      clearTimeout(timer);
      resolve();
    };
    const look = () => fs.existsSync(file) && end();
    const watcher = fs.watch(path.dirname(file), look);
    const timer = setTimeout(end, ms);
    look();
  });
}
