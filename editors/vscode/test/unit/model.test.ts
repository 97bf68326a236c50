import * as assert from 'node:assert/strict';
import { ChatModel, keptOutput } from '../../src/chat/model';
import type { HostMessage } from '../../src/chat/protocol';
import type { Entry, SessionInfo } from '../../src/contract';

function info(session: string, state: SessionInfo['state'] = 'idle'): SessionInfo {
  return {
    session,
    agent: 'demo',
    sessionId: `of-${session}`,
    cwd: '/w',
    title: '',
    state,
    options: [],
    commands: [],
    queue: [],
    questions: [],
    pending: { files: 0, hunks: 0 },
  };
}

const said = (id: string, text: string): Entry => ({ id, kind: 'agent', text });

suite('chat model', () => {
  let posted: HostMessage[];
  let model: ChatModel;
  setup(() => {
    posted = [];
    model = new ChatModel((message) => posted.push(message));
    model.setServer({ state: 'running' });
    posted.length = 0;
  });
  const types = () => posted.map(({ type }) => type);

  test('the first session is shown, others when they are chosen', () => {
    model.onSession(info('a'));
    assert.equal(model.state().current, 'a');
    model.onSession(info('b'));
    assert.equal(model.state().current, 'a');
    model.show('b');
    assert.equal(model.state().current, 'b');
    model.show('none');
    assert.equal(model.state().current, 'b');
    assert.deepEqual(types(), ['session', 'current', 'session', 'current']);
  });

  test('entries are put in once, and replaced in their place', () => {
    model.onSession(info('a'));
    model.onEntry({ session: 'a', entry: said('1', 'one') });
    model.onEntry({ session: 'a', entry: said('2', 'two') });
    model.onEntry({ session: 'a', entry: said('1', 'ONE') });
    assert.deepEqual(
      model.state().entries.map(({ text }) => text),
      ['ONE', 'two'],
    );
  });

  test('a restart is offered of an agent that does not stop, and of any that may run', () => {
    const notice = {
      id: '1',
      kind: 'notice' as const,
      text: 'goes on',
      turn: 't',
      restart: 'demo',
    };
    const offer = () => model.restartOffer('a')?.restart;
    model.onSession({ ...info('a', 'running'), turn: 't' });
    model.onEntry({ session: 'a', entry: notice });
    assert.equal(offer(), undefined);
    model.onSession({ ...info('a', 'running'), turn: 't', stopping: true });
    assert.equal(offer(), 'demo');
    model.onSession({ ...info('a', 'running'), turn: 'u', stopping: true });
    assert.equal(offer(), undefined);
    model.onSession(info('a', 'closed'));
    assert.equal(offer(), undefined);
    model.onSession({ ...info('b'), agent: 'other' });
    assert.deepEqual(model.startedAgents(), ['demo', 'other']);
    model.setServer({ state: 'stopped' });
    assert.deepEqual(model.startedAgents(), []);
  });

  test('entries of one id are told apart by their sessions', () => {
    model.onSession(info('a'));
    model.onSession(info('b'));
    model.onEntry({ session: 'a', entry: said('1', 'one') });
    model.onEntry({ session: 'b', entry: said('1', 'other') });
    const texts = () => ['a', 'b', 'c'].map((session) => model.entry(session, '1')?.text);
    assert.deepEqual(texts(), ['one', 'other', undefined]);
    model.show('b');
    assert.deepEqual(texts(), ['one', 'other', undefined]);
  });

  test('chunks grow an entry, and an entry that comes whole replaces them', () => {
    model.onSession(info('a'));
    model.onEntry({ session: 'a', entry: said('1', 'o') });
    model.onChunk({ session: 'a', id: '1', text: 'ne' });
    assert.equal(model.state().entries[0]?.text, 'one');
    model.onChunk({ session: 'a', id: 'unknown', text: 'lost' });
    model.onEntry({ session: 'a', entry: said('1', 'one.') });
    assert.deepEqual(model.state().entries, [said('1', 'one.')]);
  });

  test('only what is shown is posted', () => {
    model.onSession(info('a'));
    model.onSession(info('b'));
    posted.length = 0;
    model.onEntry({ session: 'b', entry: said('1', 'x') });
    model.onChunk({ session: 'b', id: '1', text: 'y' });
    model.onTerminal({ session: 'b', terminal: 't', output: 'z' });
    assert.deepEqual(posted, []);
    model.show('b');
    assert.deepEqual(posted, [
      {
        type: 'current',
        session: 'b',
        entries: [said('1', 'xy')],
        terminals: { t: { output: 'z' } },
      },
    ]);
  });

  test('a snapshot is not changed by what comes later', () => {
    model.onSession(info('a'));
    model.onEntry({ session: 'a', entry: said('1', 'one') });
    const before = model.state();
    model.onChunk({ session: 'a', id: '1', text: '!' });
    model.onEntry({ session: 'a', entry: said('2', 'two') });
    assert.deepEqual(before.entries, [said('1', 'one')]);
  });

  test('the end of long output is kept, and how it ended', () => {
    model.onSession(info('a'));
    model.onTerminal({ session: 'a', terminal: 't', output: 'x'.repeat(keptOutput) });
    model.onTerminal({ session: 'a', terminal: 't', output: 'end', exit: { exitCode: 1 } });
    const terminal = model.state().terminals.t;
    assert.equal(terminal?.output.length, keptOutput);
    assert.ok(terminal?.output.endsWith('xend'));
    assert.deepEqual(terminal?.exit, { exitCode: 1 });
  });

  test('entries before their session', () => {
    model.onEntry({ session: 'a', entry: said('1', 'one') });
    model.onSession(info('a'));
    assert.deepEqual(model.state().entries, [said('1', 'one')]);
  });

  test('a session from before this window is partial until its entries are there', () => {
    model.addEarlier([info('old')]);
    assert.ok(model.isPartial('old'));
    model.setEntries('old', [said('1', 'one')]);
    assert.ok(!model.isPartial('old'));
    model.show('old');
    assert.deepEqual(model.state().entries, [said('1', 'one')]);
  });

  test('when acp-ls ends its sessions stay to be read, and their ids are free again', () => {
    model.onSession(info('a', 'running'));
    model.onEntry({ session: 'a', entry: said('1', 'before') });
    model.onSession(info('empty'));
    model.setServer({ state: 'failed', message: 'it has died' });
    const { current, entries, sessions } = model.state();
    assert.deepEqual(entries, [said('1', 'before')]);
    assert.deepEqual(
      sessions.map(({ state, error }) => [state, error]),
      [['failed', 'it has died']],
    );
    assert.ok(current !== null && !model.isAlive(current));
    assert.deepEqual(types().at(-1), 'state');

    model.setServer({ state: 'running' });
    model.onSession(info('a'));
    assert.ok(model.isAlive('a'));
    model.show('a');
    assert.deepEqual(model.state().entries, []);
    assert.equal(model.sessions().length, 2);
  });

  test('what the next prompt takes up again', () => {
    assert.equal(model.lost(), undefined);
    const before = { agent: 'demo', sessionId: 'x', cwd: '/w', title: 'then' };
    model.setBefore(before);
    assert.deepEqual(model.lost(), before);
    assert.deepEqual(model.state().before, { agent: 'demo', title: 'then' });

    model.onSession(info('a'));
    assert.equal(model.lost(), undefined, 'one is shown');
    model.setServer({ state: 'stopped' });
    assert.equal(model.lost(), undefined, 'nothing was said to it');

    model.setServer({ state: 'running' });
    model.onSession(info('b'));
    model.show('b');
    model.onEntry({ session: 'b', entry: { id: '1', kind: 'user', text: 'hi' } });
    assert.equal(model.lost(), undefined, 'it is alive');
    model.setServer({ state: 'stopped' });
    assert.equal(model.lost()?.sessionId, 'of-b');

    model.setServer({ state: 'running' });
    model.onSession(info('c'));
    model.show('c');
    model.onEntry({ session: 'c', entry: { id: '1', kind: 'user', text: 'hi' } });
    model.onSession(info('c', 'closed'));
    model.setServer({ state: 'stopped' });
    assert.equal(model.lost(), undefined, 'the user has closed it');
  });

  test('a problem is told until a session is shown', () => {
    model.setProblem('no');
    model.setProblem('no');
    assert.equal(model.state().problem, 'no');
    model.onSession(info('a'));
    assert.equal(model.state().problem, null);
    assert.deepEqual(types(), ['problem', 'session', 'problem', 'current']);
  });

  test('a note is an entry of its own', () => {
    model.onSession(info('a'));
    model.note('a', 'one');
    model.note('a', 'two');
    assert.deepEqual(
      model.state().entries.map(({ kind, text }) => [kind, text]),
      [
        ['notice', 'one'],
        ['notice', 'two'],
      ],
    );
  });

  test('a server that never ran ends nothing', () => {
    const fresh = new ChatModel((message) => posted.push(message));
    fresh.setServer({ state: 'starting' });
    fresh.setServer({ state: 'failed', message: 'no' });
    assert.deepEqual(types(), ['server', 'server']);
  });

  test('a conversation of before that is gone is said, and not taken up again', () => {
    const before = { agent: 'demo', sessionId: 'x', cwd: '/w', title: 'one' };
    model.setBefore(before);
    assert.deepEqual([model.lost(), model.gone()], [before, undefined]);
    const gone = { ...before, gone: true as const };
    model.setBefore(gone);
    assert.deepEqual([model.lost(), model.gone()], [undefined, gone]);
    assert.deepEqual(model.state().before, { agent: 'demo', title: 'one', gone: true });
    model.onSession(info('a'));
    assert.equal(model.gone(), undefined);
  });
});
