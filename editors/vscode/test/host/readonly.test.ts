import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { isHeld } from '../../src/edits';
import { anew, hunksAre, open, prompt, read, said, theApp, until } from './lib';

/** A document that VS Code lets nobody change, and how to make it one that can be changed. */
async function hold(how: string, name: string): Promise<() => Thenable<unknown>> {
  const files = vscode.workspace.getConfiguration('files');
  const target = vscode.ConfigurationTarget.Global;
  if (how === 'by a setting') {
    await files.update('readonlyInclude', { [`**/${name}`]: true }, target);
    return () => files.update('readonlyInclude', undefined, target);
  }
  const session = 'workbench.action.files.setActiveEditor';
  await vscode.commands.executeCommand(`${session}ReadonlyInSession`);
  return () => vscode.commands.executeCommand(`${session}WriteableInSession`);
}

suite('documents that are read-only', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  for (const how of ['by a setting', 'for the session']) {
    test(`${how}: what could not be saved is not changed, and it is said`, async () => {
      const name = `held ${how}.txt`;
      const why = `${name} was not changed: it is read-only`;
      const before = 'one\ntwo\n';
      const document = await open(name, before);
      const write = (text: string) => prompt(app, session, [{ read: name }, { write: name, text }]);
      const free = await hold(how, name);
      try {
        await open('in front.txt', 'x\n'); // also if it is behind another
        await assert.rejects(write('one\n2\n'), /it is read-only: it is set so in VS Code/);
        assert.ok(said(app, 'notice').some((text) => text.includes(why)));
        assert.equal(document.getText(), before);
        assert.equal(await read(name), before);
        await hunksAre(app, document);

        // The agent has it written by itself: that is shown, and stays until it can be taken back.
        await prompt(app, session, [{ disk: name, text: 'one\n2\n' }]);
        await until('is read', () => document.getText() === 'one\n2\n');
        await hunksAre(app, document, 'pending 1-2');
        const { decided, refused } = await app.execute('acp.review.reject', {});
        assert.equal(decided.length, 0);
        assert.match(refused[0]?.reason ?? '', /it is read-only/);
        assert.equal(document.getText(), 'one\n2\n');
        assert.equal(await read(name), 'one\n2\n');

        await vscode.window.showTextDocument(document);
        await free();
        await app.execute('acp.review.reject', {});
        assert.equal(document.getText(), before);
        assert.equal(await read(name), before);
        await write('one\n2\n');
        assert.equal(document.isDirty, false);
        assert.equal(await read(name), 'one\n2\n');
      } finally {
        await vscode.window.showTextDocument(document);
        await free();
      }
    });
  }

  test('one whose user begins to type is none, and is not saved', async () => {
    const document = await open('begun.txt', 'one\n');
    await vscode.window.showTextDocument(document);
    const { version } = document;
    const type = (text: string) => vscode.commands.executeCommand('type', { text });
    // VS Code says that a document is not saved in which somebody types as it is.
    const typesOn = vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(type('b')));
    try {
      const typed = type('a'); // of which is told while it is found out
      const textDocument = { uri: document.uri.toString(), version };
      assert.equal(await isHeld({ documentChanges: [{ textDocument, edits: [] }] }), false);
      await typed;
      assert.equal(document.getText().replace('a', ''), 'one\n'); // wherever the cursor is
      assert.equal(await read('begun.txt'), 'one\n');
    } finally {
      typesOn.dispose();
    }
  });
});
