import * as assert from 'node:assert/strict';
import type { App } from '../../src/app';
import type { CommandError } from '../../src/errors';
import { anew, begin, said, startSession, theApp, until } from './lib';

suite('agents that do not start, or end', () => {
  let app: App;
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(() => anew(app));

  const current = () => app.model.currentSession();
  const send = (text: string) =>
    app.chat.receive({ type: 'send', request: 1, text, attachments: [], when: 'queue' });
  const texts = (of?: Array<{ text: string }>) => (of ?? []).map(({ text }) => text);

  test('one that never answers: it is in front, says so, and can be stopped', async () => {
    const failed = await startSession(app);
    await begin(app, failed, [{ die: true }]);
    await until('failed', () => app.model.session(failed)?.state === 'failed');
    await app.chat.start('deaf');
    assert.equal(current()?.agent, 'deaf');
    assert.equal(current()?.state, 'starting');
    send('hello');
    await until('waits', () => texts(current()?.queue).join() === 'hello');
    const notice = /deaf has not answered for 5s \(since .*\): .*stop the agent; the log/;
    await until('is told', () => notice.test(said(app, 'notice').join()));
    app.chat.receive({ type: 'stop' });
    await until('is given up', () => current()?.state === 'failed');
    assert.match(current()?.error ?? '', /you stopped deaf before it was ready: your next prompt/);
    assert.deepEqual(texts(current()?.unsent), ['hello']);
  });

  test('one that dies: what waits is handed back, and the error says what to do', async () => {
    const session = await startSession(app);
    await begin(app, session, [{ until: 'die' }, { die: true }]);
    send('next');
    await until('waits', () => texts(current()?.queue).join() === 'next');
    process.kill(app.pid ?? 0, 0); // acp-ls lives on
    await app.execute('acp.agent.restart', { agent: 'script' });
    await until('failed', () => current()?.state === 'failed');
    assert.deepEqual(texts(current()?.unsent), ['next']);
    send('again');
    await until('is answered', () => said(app, 'agent').join() === 'again');
    assert.deepEqual(texts(current()?.unsent), []);
  });

  test('no session: why is said in the chat, until there is one', async () => {
    await app.chat.start('nobody');
    assert.match(app.model.state().problem ?? '', /^No session was started: there is no agent/);
    await startSession(app);
    assert.equal(app.model.state().problem, null);
  });

  test('what a restart cuts short is no error of its own', async () => {
    const started = app.execute('acp.session.new', { agent: 'deaf' }).then(
      () => assert.fail('it has started'),
      (err: Error) => err,
    );
    await until('starts', () => app.model.sessions().some(({ agent }) => agent === 'deaf'));
    await app.restart();
    const err = await started;
    assert.equal((err as CommandError).kind, 'interrupted'); // the extension's own
    assert.doesNotMatch(err.message, /disposed/);
  });
});
