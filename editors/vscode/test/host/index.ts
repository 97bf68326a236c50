/** Runs inside the extension host: what test/host.mjs starts. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import Mocha from 'mocha';

export async function run(): Promise<void> {
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
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) =>
      failures === 0 ? resolve() : reject(new Error(`${failures} tests failed`)),
    );
  });
}
