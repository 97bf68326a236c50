import * as assert from 'node:assert/strict';
import type { App } from '../../src/app';
import { inert } from '../../src/questions';
import { anew, begin, said, takesAnswers, theApp, until } from './lib';

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

  test('is withdrawn when the turn is cancelled', async () => {
    await begin(app, session, [{ ask: 'Run this?', command: 'true' }]);
    await asked();
    await app.execute('acp.cancel', { session });
    await until('is withdrawn', () => app.model.openQuestions().length === 0);
    await idle();
  });
});
