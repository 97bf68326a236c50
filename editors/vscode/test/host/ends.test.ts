/** Line ends that an agent has turned on disk. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, hunks, hunksAre, open, prompt, read, theApp, type, until } from './lib';

suite('line ends', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const crlf = 'one\r\ntwo\r\nthree\r\nfour\r\n';
  const lf = 'one\ntwo\nthree\nfour\n';
  for (const [what, name, before, after] of [
    ['turned', 'turned.txt', crlf, lf],
    ['turned, and a line changed', 'turned-too.txt', crlf, lf.replace('two', 'TWO')],
    ['turned the other way', 'turned-back.txt', lf, crlf.replace('four', 'FOUR')],
  ] as const) {
    test(`of a clean document are ${what}: rejected, undone, rejected, restored, accepted`, async () => {
      const document = await open(name, before);
      const is = (text: string, saved = text): Promise<unknown> =>
        until(`${name} is ${JSON.stringify(text)}`, () => document.getText() === text)
          .then(() =>
            until(
              `${name} is ${saved === text ? '' : 'un'}saved`,
              () => document.isDirty === (saved !== text),
            ),
          )
          .then(async () => assert.equal(await read(name), saved));
      const decide = async (how: 'reject' | 'accept'): Promise<void> => {
        const uri = document.uri.toString();
        const { decided, refused } = await app.execute(`acp.review.${how}`, { uri });
        assert.deepEqual([decided.length, refused], [1, []]);
      };
      await prompt(app, session, [{ disk: name, text: after }]);
      await is(after);
      await hunksAre(app, document, 'pending 0-4');
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        document.uri,
        10,
      );
      const titles = lenses.map(({ command }) => command?.title ?? '').join();
      assert.match(titles, /line ends.*\((CRLF to LF|LF to CRLF)\)/);
      await decide('reject');
      await is(before);
      await hunksAre(app, document);
      // One step for the line ends, and one for the rest if there is one.
      await vscode.commands.executeCommand('undo');
      if (document.getText() !== after) {
        await vscode.commands.executeCommand('undo');
      }
      await is(after, before);
      await hunksAre(app, document, 'pending 0-4');
      await vscode.commands.executeCommand('redo');
      await vscode.commands.executeCommand('redo');
      await is(before);
      await hunksAre(app, document);
      const { files } = await app.execute('acp.review.list', {
        uri: document.uri.toString(),
        state: 'rejected',
      });
      const ids = files.flatMap((file) => file.hunks.map(({ id }) => id));
      assert.equal(ids.length, 1);
      await app.execute('acp.review.restore', { hunks: ids });
      await is(after);
      await hunksAre(app, document, 'pending 0-4');
      await decide('accept');
      await hunksAre(app, document);
      await is(after);
    });
  }

  test('under unsaved text are turned: it keeps its own, and is told', async () => {
    const document = await open('turned-dirty.txt', crlf);
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'turned-dirty.txt', text: lf.replace('four', 'FOUR') }]);
    const want = `my ${crlf.replace('four', 'FOUR')}`;
    await until('merged', () => document.getText() === want);
    await hunksAre(app, document, 'pending 3-4');
    assert.equal(document.isDirty, true);
    await app.execute('acp.review.reject', { uri: document.uri.toString() });
    await until('is rejected', () => document.getText() === `my ${crlf}`);
    assert.equal(await document.save(), true);
    assert.equal(await read('turned-dirty.txt'), `my ${crlf}`);
    assert.deepEqual(hunks(app, document), []);
  });

  for (const [what, name, before, after] of [
    ['one of LF', 'one-lf.txt', lf, lf.replace('two\n', 'two\r\n')],
    ['one of CRLF', 'one-crlf.txt', crlf, crlf.replace('two\r\n', 'two\n')],
    ['all but one', 'all-but-one.txt', lf, crlf.replace('two\r\n', 'two\n')],
    ['all that were mixed', 'mixed.txt', lf.replace('two\n', 'two\r\n'), lf],
  ] as const) {
    for (const how of ['reject', 'undo', 'accept'] as const) {
      test(`${what}, and no word, are a change of the file: ${how}, and save at once`, async () => {
        const file = `${how}-${name}`;
        const document = await open(file, before);
        const turn = await prompt(app, session, [{ disk: file, text: after }]);
        const whole = () => app.review.file(document.uri.toString())?.review.file?.opaque;
        await until('it is listed', () => whole() === 'ends');
        assert.deepEqual([hunks(app, document), document.isDirty], [[], false]);
        if (how === 'undo') {
          await app.execute('acp.review.undo', { session, turn });
        } else {
          await app.execute(`acp.review.${how}`, { uri: document.uri.toString() });
        }
        await until('it is decided', () => whole() === undefined);
        assert.deepEqual(
          [await read(file), document.isDirty],
          [how === 'accept' ? after : before, false],
        );
        await type(0, 0, 'my ');
        assert.equal(await document.save(), true);
        assert.match(await read(file), /^my one\r?\n/);
        assert.equal(whole(), undefined);
      });
    }
  }

  test('are turned by the user: what the agent has changed stays to be decided on', async () => {
    const document = await open('turned-user.txt', crlf);
    await prompt(app, session, [{ write: 'turned-user.txt', text: crlf.replace('two', 'TWO') }]);
    await hunksAre(app, document, 'pending 1-2');
    await vscode.window.activeTextEditor?.edit((edit) => edit.setEndOfLine(vscode.EndOfLine.LF));
    await hunksAre(app, document, 'pending 1-2');
    await app.execute('acp.review.reject', { uri: document.uri.toString() });
    await until('is rejected', () => document.getText() === lf);
    await hunksAre(app, document);
  });
});
