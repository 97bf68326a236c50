/** Files that VS Code reads and writes in another encoding than UTF-8, as the settings say. */
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, fileOf, hunksAre, prompt, theApp, type, until } from './lib';

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

  // What an editor has read in another encoding it would save in that: these are decided on as a whole.
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  const wholes: [name: string, was: Buffer, written: Buffer, hunks: string[]][] = [
    ['to-latin1', Buffer.from(before), Buffer.from(after, 'latin1'), []],
    ['to-utf16', Buffer.from(before), utf16(after), []],
    ['to-utf16-only', Buffer.from(before), utf16(before), []],
    ['from-utf16', utf16(before), Buffer.from(after), []],
    ['to-bytes', Buffer.from(before), Buffer.from([0xff, 0xfe, 0xfd, 0x41, 0x0a]), []],
    [
      'to-png',
      Buffer.from(before),
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x80\xff\n\0', 'latin1'),
      [],
    ],
    ['to-marked', Buffer.from(before), Buffer.from(`\ufeff${after}`), ['pending 2-3']],
    ['to-marked-only', Buffer.from(before), Buffer.from(`\ufeff${before}`), []],
    ['from-marked', Buffer.from(`\ufeff${before}`), Buffer.from(after), ['pending 2-3']],
  ];
  for (const [name, was, written, pending] of wholes) {
    test(`of a clean document are changed, ${name}: rejected, restored, rejected`, async () => {
      const file = `${name}.txt`;
      await fs.writeFile(fileOf(file), was);
      const document = await vscode.workspace.openTextDocument(fileOf(file));
      await vscode.window.showTextDocument(document, { preview: false });
      assert.equal(document.getText(), before);
      const uri = document.uri.toString();
      const whole = (): unknown => app.review.file(uri)?.review.file;
      await prompt(app, session, [
        { disk: file, encoding: 'base64', text: written.toString('base64') },
      ]);
      await until('it is listed', whole);
      await hunksAre(app, document, ...pending);
      assert.deepEqual(await bytes(file), written);
      const reject = async (): Promise<void> => {
        const { refused } = await app.execute('acp.review.reject', { uri });
        assert.deepEqual(refused, []);
        await until('nothing is listed', () => app.review.file(uri) === undefined);
        assert.deepEqual(await bytes(file), was);
        await until('it is as it was', () => document.getText() === before && !document.isDirty);
      };
      await reject();
      const { files } = await app.execute('acp.review.list', { uri, state: 'rejected' });
      const ids = files.flatMap((one) => one.hunks.map(({ id }) => id));
      const change = files.flatMap((one) => (one.file ? [one.file.id] : []));
      const { refused } = await app.execute('acp.review.restore', { hunks: [...change, ...ids] });
      assert.deepEqual(refused, []);
      await until('it is listed again', whole);
      await until('and saved', () => !document.isDirty);
      assert.deepEqual(await bytes(file), written);
      await reject();
      await type(1, 0, 'my '); // and it goes on
      assert.equal(await document.save(), true);
      const unit = name === 'from-utf16' ? 'utf16le' : 'utf8';
      const at = was.indexOf('zwei', 0, unit);
      const typed = [was.subarray(0, at), Buffer.from('my ', unit), was.subarray(at)];
      assert.deepEqual(await bytes(file), Buffer.concat(typed));
    });
  }
});
