import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { inert } from '../../src/questions';
import { anew, begin, said, startSession, takesAnswers, theApp, until } from './lib';

suite('questions', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const asked = () => until('is asked', () => app.model.openQuestions()[0]);
  const answers = () => said(app, 'agent').join('');
  const alive = () => app.model.sessions().filter((one) => app.model.isAlive(one.session));
  const idle = () => until('is idle', () => app.model.session(session)?.state === 'idle');

  test('is answered, but not at once', async () => {
    await begin(app, session, [{ ask: 'Run it?', command: 'rm -rf build' }]);
    const question = await asked();
    assert.match(question.message, /rm -rf build/);
    if (Date.now() - question.since < inert / 2) {
      // else this machine is too slow to see it
      assert.equal(app.questions.answer(question.id, 'yes'), 'early');
    }
    await takesAnswers(question);
    await app.chat.answer(question.id, 'yes');
    await idle();
    assert.match(answers(), /answer: yes/);
    assert.equal(app.model.openQuestions().length, 0);
  });

  test('is refused', async () => {
    await begin(app, session, [{ ask: 'Run that?', command: 'true' }]);
    const question = await asked();
    await takesAnswers(question);
    await app.chat.answer(question.id);
    await idle();
    assert.match(answers(), /answer: no$/);
  });

  test('that is a notification says of which session it is, if there are several', async () => {
    const { showInformationMessage } = vscode.window;
    const shown: string[] = [];
    const says = async (text: string): Promise<undefined> => {
      shown.push(text);
    };
    const ask = async () => {
      await begin(app, session, [{ ask: 'Run it?', command: 'true' }]);
      await asked();
      await app.execute('acp.cancel', { session });
      await idle();
    };
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
    Object.assign(vscode.window, { showInformationMessage: says });
    try {
      for (const one of app.model.sessions()) {
        if (one.session !== session && app.model.isAlive(one.session)) {
          await app.execute('acp.session.close', { session: one.session });
        }
      }
      await until('is the only one', () => alive().length === 1);
      await ask();
      const second = await startSession(app);
      await ask();
      const { title } = app.model.session(session) ?? {};
      assert.deepEqual(shown, [
        'script asks: Run it?: true',
        `script (${title || 'a session without a title'}) asks: Run it?: true`,
      ]);
      await app.execute('acp.session.close', { session: second });
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
  });

  test('is withdrawn when the turn is cancelled', async () => {
    await begin(app, session, [{ ask: 'Run this?', command: 'true' }]);
    await asked();
    await app.execute('acp.cancel', { session });
    await until('is withdrawn', () => app.model.openQuestions().length === 0);
    await idle();
  });
});
