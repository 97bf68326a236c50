/** Files that an agent writes on disk again and again, and that VS Code reads anew by itself. */
import * as assert from 'node:assert/strict';
import type { App } from '../../src/app';
import { anew, begin, hunks, open, theApp, type, until } from './lib';

suite('written again and again', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const before = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join('');
  const rows = [5, 15, 25, 35];
  const written = rows.map((_, n) =>
    rows
      .slice(0, n + 1)
      .reduce((text, row) => text.replace(`line ${row}\n`, `line ${row}\nAGENT ${row}\n`), before),
  );
  const rounds = Number(process.env.ACPLS_TEST_ROUNDS ?? 2);
  for (let round = 0; round < rounds; round++) {
    for (const wait of [300, 600, 900]) {
      test(`and typed in after ${wait} ms: what the agent wrote is the agent's (${round})`, async () => {
        const name = `again-${wait}-${round}.txt`;
        const document = await open(name, before);
        const steps = written.flatMap((text) => [{ disk: name, text }, { run: 'sleep 0.15' }]);
        await begin(app, session, steps);
        await new Promise((resolve) => setTimeout(resolve, wait));
        await type(0, 0, 'USER ');
        await until('the turn ends', () => app.model.session(session)?.state === 'idle');
        const all = `USER ${written.at(-1)}`;
        await until('all is in the text', () => document.getText() === all);
        const want = rows.map((row, i) => `pending ${row + 1 + i}-${row + 2 + i}`);
        await until('all is marked', () => hunks(app, document).join() === want.join()).catch(() =>
          assert.deepEqual(hunks(app, document), want),
        );
        await app.execute('acp.review.reject', { uri: document.uri.toString() });
        await until('rejected', () => document.getText() === `USER ${before}`).catch(() =>
          assert.equal(document.getText(), `USER ${before}`),
        );
      });
    }
  }
});
