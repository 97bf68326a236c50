/** Runs inside the extension host: what test/host.mjs starts. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';
import * as vscode from 'vscode';
import { until } from './lib';

export async function run(): Promise<void> {
  await vscode.extensions.getExtension('acp-ls.empty')?.activate(); // which nothing else does
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: 30_000,
    reporter: 'json',
    reporterOptions: { output: process.env.ACPLS_TEST_REPORT },
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
  const seen = () => fs.existsSync(process.env.ACPLS_TEST_SEEN ?? '');
  await until('the times were seen', seen).catch(() => undefined);
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}
