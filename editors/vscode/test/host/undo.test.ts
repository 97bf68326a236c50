import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, hunksAre, open, prompt, read, theApp, type } from './lib';

suite('undo', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  test('what is undecided follows the text, conflicts that were rejected along with hunks too', async () => {
    const document = await open('follows.txt', '1\n2\n3\n4\n5\n6\n');
    await type(1, 1, ' mine');
    await prompt(app, session, [{ disk: 'follows.txt', text: '1\n2 agent\n3\n4\n5 agent\n6\n' }]);
    const undecided = ['conflict 1-2', 'pending 4-5'];
    await hunksAre(app, document, ...undecided);
    await vscode.commands.executeCommand('acpls.rejectAll');
    for (let times = 0; times < 2; times++) {
      await hunksAre(app, document);
      assert.equal(document.getText(), '1\n2 mine\n3\n4\n5\n6\n');
      await vscode.commands.executeCommand('undo');
      await hunksAre(app, document, ...undecided);
      assert.equal(document.getText(), '1\n2 mine\n3\n4\n5 agent\n6\n');
      await vscode.commands.executeCommand('redo');
    }
    await hunksAre(app, document);
    await document.save();
    assert.equal(await read('follows.txt'), '1\n2 mine\n3\n4\n5\n6\n');
  });
});
