/** Characters of which one half is like that of another one. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, hunksAre, open, prompt, read, theApp, type, until } from './lib';

suite('characters outside the basic plane', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const pairs = ['👍👎', '🔴🟢', '😀😁', '𝒳𝒴', '👍🏽👍🏿'];
  const half = (pair: string, at: 0 | 1): string =>
    pair.slice((at * pair.length) / 2, ((at + 1) * pair.length) / 2);
  const rows = (at: 0 | 1): string => pairs.map((pair) => `a ${half(pair, at)} z\n`).join('like\n');
  const before = `${rows(0)}end\n`;
  const after = `${rows(1)}end\n`;
  for (const step of ['write', 'disk']) {
    for (const dirty of [false, true]) {
      test(`${step} under a ${dirty ? 'dirty' : 'clean'} document: changed, rejected, undone, restored`, async () => {
        const name = `astral-${step}-${String(dirty)}.txt`;
        const document = await open(name, before);
        if (dirty) {
          await type(document.lineCount - 1, 0, 'mine 🟢\n');
        }
        const mine = dirty ? 'mine 🟢\n' : '';
        const is = (text: string): Promise<unknown> =>
          until(`${name} is ${JSON.stringify(text)}`, () => document.getText() === text + mine);
        const decide = async (how: 'reject' | 'restore'): Promise<void> => {
          const uri = document.uri.toString();
          const { refused } = await app.execute(`acp.review.${how}`, { uri });
          assert.deepEqual(refused, [], JSON.stringify(document.getText()));
        };
        await prompt(app, session, [
          { [step]: name, text: after + (step === 'write' ? mine : '') },
        ]);
        await is(after);
        const all = pairs.map((_, i) => `pending ${String(2 * i)}-${String(2 * i + 1)}`);
        await hunksAre(app, document, ...all);
        await decide('reject');
        await is(before);
        await vscode.commands.executeCommand('undo');
        await is(after);
        await hunksAre(app, document, ...all);
        await decide('reject');
        await is(before);
        await decide('restore');
        await is(after);
        await decide('reject');
        await is(before);
        if (!dirty) {
          await until(`${name} is saved`, () => !document.isDirty);
          assert.equal(await read(name), before);
        }
      });
    }
  }
});
