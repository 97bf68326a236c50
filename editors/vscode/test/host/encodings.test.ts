/** Files that VS Code reads and writes in another encoding than UTF-8, as the settings say. */
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, fileOf, hunksAre, prompt, theApp, until } from './lib';

suite('encodings', () => {
  let app: App;
  let session = '';
  const encoding = (value: string | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration('files')
      .update('encoding', value, vscode.ConfigurationTarget.Global);
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });
  teardown(() => encoding(undefined));

  const before = 'café eins\nzwei ü\ndrei\nvier\nfünf\n';
  const after = before.replace('drei', 'DREI');
  /** What VS Code shows of UTF-8 that it takes for Windows 1252: two characters for one. */
  const misread = (text: string): string => Buffer.from(text).toString('latin1');
  const bytes = (name: string): Promise<Buffer> => fs.readFile(fileOf(name));
  const open = async (name: string, content: Buffer): Promise<vscode.TextDocument> => {
    await fs.writeFile(fileOf(name), content);
    await encoding('windows1252');
    const document = await vscode.workspace.openTextDocument(fileOf(name));
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  };
  const latin1 = Buffer.from(before, 'latin1');

  for (const how of ['reject', 'undo'] as const) {
    test(`UTF-8 over a file that was Windows 1252: ${how}`, async () => {
      const name = `to-utf8-${how}.txt`;
      const document = await open(name, latin1);
      assert.equal(document.getText(), before);
      const turn = await prompt(app, session, [{ disk: name, text: after }]);
      await until('it is read', () => document.getText() === misread(after));
      await hunksAre(app, document, 'pending 0-3', 'pending 4-5');
      assert.deepEqual(await bytes(name), Buffer.from(after));
      if (how === 'reject') {
        await vscode.commands.executeCommand('acpls.rejectAll');
      } else {
        await app.execute('acp.review.undo', { session, turn });
      }
      await hunksAre(app, document);
      await until('it is as it was', () => document.getText() === before && !document.isDirty);
      assert.deepEqual(await bytes(name), latin1);
    });
  }

  test('a file that was UTF-8 all along', async () => {
    const document = await open('misread.txt', Buffer.from(before));
    assert.equal(document.getText(), misread(before));
    await prompt(app, session, [{ disk: 'misread.txt', text: after }]);
    await hunksAre(app, document, 'pending 2-3');
    await vscode.commands.executeCommand('acpls.rejectAll');
    await hunksAre(app, document);
    await until('it is as it was', () => document.getText() === misread(before));
    await until('it is saved', () => !document.isDirty);
    assert.deepEqual(await bytes('misread.txt'), Buffer.from(before));
  });

  test('another file, in its encoding', async () => {
    const document = await open('latin1.txt', latin1);
    const text = Buffer.from(after, 'latin1').toString('base64');
    await prompt(app, session, [{ disk: 'latin1.txt', encoding: 'base64', text }]);
    await hunksAre(app, document, 'pending 2-3');
    await vscode.commands.executeCommand('acpls.rejectAll');
    await hunksAre(app, document);
    await until('it is as it was', () => document.getText() === before && !document.isDirty);
    assert.deepEqual(await bytes('latin1.txt'), latin1);
  });

  test('Windows 1252 over a file that was UTF-8', async () => {
    await fs.writeFile(fileOf('to-latin1.txt'), before);
    const document = await vscode.workspace.openTextDocument(fileOf('to-latin1.txt'));
    await vscode.window.showTextDocument(document, { preview: false });
    const text = Buffer.from(after, 'latin1').toString('base64');
    await prompt(app, session, [{ disk: 'to-latin1.txt', encoding: 'base64', text }]);
    await until('it is read', () => document.getText().includes('caf\ufffd'));
    await hunksAre(app, document, 'pending 0-3', 'pending 4-5');
    await vscode.commands.executeCommand('acpls.rejectAll');
    await hunksAre(app, document);
    await until('it is as it was', () => document.getText() === before && !document.isDirty);
    assert.deepEqual(await bytes('to-latin1.txt'), Buffer.from(before));
  });
});
