import * as assert from 'node:assert/strict';
import { plain, tail } from '../../../src/chat/ui/output';
import {
  apply,
  currentOf,
  emptyState,
  lostOf,
  newOf,
  startable,
  unsentIn,
  waitingIn,
} from '../../../src/chat/ui/state';
import { insertWord, take, wantsCompletion } from '../../../src/chat/ui/typing';
import {
  activity,
  failedAbove,
  outcome,
  placeName,
  short,
  toolCommand,
  usage,
} from '../../../src/chat/ui/words';
import type { SessionInfo } from '../../../src/contract';

suite('prompts that wait', () => {
  const session = (id: string, ...texts: string[]) =>
    ({ session: id, queue: texts.map((text, at) => ({ id: `q${at}`, text })) }) as SessionInfo;

  test('are known by their session, and lost with it', () => {
    const waiting = waitingIn([session('a', 'one', 'two'), session('b'), session('c', 'three')]);
    assert.deepEqual(waiting, { a: ['one', 'two'], c: ['three'] });
    assert.deepEqual(lostOf(waiting, [session('a'), session('b'), session('c')]), []);
    assert.deepEqual(lostOf(waiting, [session('c', 'three')]), ['one', 'two']);
    assert.deepEqual(lostOf(waiting, []), ['one', 'two', 'three']);
  });
});

suite('prompts that were given up', () => {
  test('are new once, and again when they are given up again', () => {
    const session = (id: string, ...texts: string[]) =>
      ({ session: id, unsent: texts.map((text) => ({ id: text, text })) }) as SessionInfo;
    const first = unsentIn([session('a', 'one'), { session: 'b' } as SessionInfo]);
    assert.deepEqual(newOf(first, []), ['one']);
    const then = unsentIn([session('a', 'one', 'two')]);
    assert.deepEqual(newOf(then, Object.keys(first)), ['two']);
    assert.deepEqual(newOf(unsentIn([session('a')]), Object.keys(then)), []);
    assert.deepEqual(newOf(first, []), ['one']);
  });
});

suite('what has come of what a session did', () => {
  const info = (state: string, more: object = {}) =>
    ({ session: 's', agent: 'demo', state, ...more }) as SessionInfo;
  const entries = [{ id: '1', kind: 'agent' as const, text: 'the answer' }];
  test('an agent that has ended is not said to be done', () => {
    const failed = info('failed', { error: 'agent demo has ended (ended by SIGKILL)' });
    for (const state of ['starting', 'idle', 'running', 'waiting']) {
      assert.match(outcome(info(state), failed, entries) ?? '', /^agent demo has ended/, state);
    }
    assert.equal(outcome(info('running'), info('failed'), entries), 'demo has failed.');
    assert.equal(outcome(failed, failed, entries), undefined);
  });
  test('an agent that the user has stopped before it was ready has not failed', () => {
    const of = (errorKind?: string) =>
      failedAbove({ agent: 'demo', ...(errorKind !== undefined && { errorKind }) });
    assert.equal(of('stopped'), 'You stopped demo before it was ready.');
    for (const kind of [undefined, 'agentFailed', 'authRequired', 'timeout']) {
      assert.equal(of(kind), 'The session with demo has ended. The error above says why.');
    }
  });
  test('a turn that is over, and one that was stopped', () => {
    assert.equal(outcome(info('running'), info('idle'), entries), 'Done. the answer');
    assert.equal(outcome(info('running'), info('idle'), []), 'Done');
    const stopped = info('idle', { stopReason: 'cancelled' });
    assert.equal(outcome(info('running'), stopped, entries), 'Stopped');
    assert.equal(outcome(info('running'), info('closed'), entries), 'This session is closed');
    assert.equal(outcome(info('starting'), info('idle'), []), 'demo is ready');
  });
  test('nothing', () => {
    assert.equal(outcome(undefined, info('idle'), entries), undefined);
    assert.equal(outcome(info('running'), undefined, entries), undefined);
    assert.equal(outcome(info('starting'), info('running'), entries), undefined);
    assert.equal(outcome(info('idle'), info('idle'), entries), undefined);
  });
});

suite('what is typed in the chat', () => {
  test('proposals are asked for in mentions and commands', () => {
    const wants = (text: string) => wantsCompletion({ text, caret: text.length });
    for (const text of ['@', 'see @ma', 'a\n@"my no', '(@x', '/', '/pl', ' /pl']) {
      assert.ok(wants(text), text);
    }
    for (const text of [
      '',
      'me@home',
      'see @main.go ',
      'a /b',
      '/plan now',
      '/usr/bin',
      '@"a"  ',
    ]) {
      assert.ok(!wants(text), text);
    }
    assert.ok(wantsCompletion({ text: '@ma later', caret: 3 }));
  });

  test('a proposal takes the place of what was typed', () => {
    const item = (insertText: string, kind = 'file') => ({ kind, insertText, start: 4, end: 7 });
    assert.deepEqual(take('see @ma', item('@main.go')), { text: 'see @main.go ', caret: 13 });
    assert.deepEqual(take('see @ma now', item('@main.go')), {
      text: 'see @main.go now',
      caret: 12,
    });
    assert.deepEqual(take('see @sr', item('@src/', 'folder')), { text: 'see @src/', caret: 9 });
    assert.deepEqual(take('see /pl x', item('/plan ')), { text: 'see /plan x', caret: 10 });
  });

  test('a mention has spaces around it', () => {
    assert.deepEqual(insertWord({ text: '', caret: 0 }, '@a'), { text: '@a ', caret: 3 });
    assert.deepEqual(insertWord({ text: 'seeit', caret: 3 }, '@a'), {
      text: 'see @a it',
      caret: 7,
    });
    assert.deepEqual(insertWord({ text: 'see ', caret: 4 }, '@a'), { text: 'see @a ', caret: 7 });
  });
});

suite('output in the chat', () => {
  test('is text', () => {
    assert.equal(plain('\x1b[1;31mred\x1b[0m\x1b]0;title\x07\r\nnext\n'), 'red\nnext');
    assert.equal(plain('10%\r50%\r100%\r\ndone\x08'), '100%\ndone');
    assert.equal(plain('\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\'), 'link');
  });

  test('shows its end', () => {
    assert.deepEqual(tail('a\nb\nc', 2), { text: 'b\nc', before: 1 });
    assert.deepEqual(tail('a\nb', 2), { text: 'a\nb', before: 0 });
  });
});

const info = (members: Partial<SessionInfo>): SessionInfo => ({
  session: 's1',
  agent: 'demo',
  sessionId: '',
  cwd: '/w',
  title: '',
  state: 'idle',
  options: [],
  commands: [],
  queue: [],
  questions: [],
  pending: { files: 0, hunks: 0 },
  ...members,
});

suite('what the chat page knows', () => {
  test('entries grow, and are replaced in their place', () => {
    const state = emptyState();
    apply(state, { type: 'session', info: info({}) });
    apply(state, { type: 'current', session: 's1', entries: [], terminals: {} });
    apply(state, { type: 'entry', entry: { id: '1', kind: 'agent', text: 'a' } });
    apply(state, { type: 'entry', entry: { id: '2', kind: 'notice', text: 'n' } });
    const before = state.entries[0];
    apply(state, { type: 'chunk', id: '1', text: 'b' });
    apply(state, { type: 'chunk', id: 'gone', text: 'x' });
    assert.equal(before?.text, 'a', 'an entry was changed in place');
    assert.deepEqual(
      state.entries.map(({ text }) => text),
      ['ab', 'n'],
    );
    apply(state, { type: 'entry', entry: { id: '1', kind: 'agent', text: 'whole' } });
    assert.deepEqual(
      state.entries.map(({ text }) => text),
      ['whole', 'n'],
    );
    apply(state, { type: 'session', info: info({ state: 'running' }) });
    assert.equal(currentOf(state)?.state, 'running');
    assert.equal(state.sessions.length, 1);
  });

  test("a terminal's end outlives later output", () => {
    const state = emptyState();
    apply(state, { type: 'terminal', terminal: 't', output: 'a', exit: { exitCode: 2 } });
    apply(state, { type: 'terminal', terminal: 't', output: 'b' });
    assert.deepEqual(state.terminals.t, { output: 'ab', exit: { exitCode: 2 } });
  });

  test('what is done is said in words', () => {
    assert.equal(activity(undefined, []), '');
    assert.equal(activity(info({ state: 'running' }), []), 'Working');
    assert.equal(activity(info({ state: 'running' }), [{ id: '1', kind: 'thought' }]), 'Thinking');
    const call = { id: 'c', title: 'Read a', kind: 'read', status: 'in_progress' };
    assert.equal(
      activity(info({ state: 'running' }), [{ id: '1', kind: 'tool', tool: call }]),
      'Read a',
    );
    assert.equal(activity(info({ state: 'running', stopping: true }), []), 'Stopping');
    assert.equal(activity(info({ state: 'idle' }), []), '');
    assert.match(activity(info({ state: 'closed' }), []), /^Closed/);
  });

  test('numbers, places and commands', () => {
    assert.deepEqual([0, 950, 1000, 9960, 12_345, 999_400, 1_234_567].map(short), [
      ...['0', '950', '1k', '10k', '12k', '999k', '1.2M'],
    ]);
    assert.equal(usage({ used: 1500, size: 200_000 }), '1.5k of 200k tokens');
    assert.equal(usage({ used: 5, size: 0, cost: 1.234 }), '5 tokens · $1.23');
    assert.equal(placeName('/w/a/b.go', '/w', 3), 'a/b.go:3');
    assert.equal(placeName('/work/b.go', '/w'), '/work/b.go');
    assert.equal(placeName('C:\\w\\b.go', 'C:\\w\\'), 'b.go');
    const call = { id: 'c', kind: 'execute', status: 'pending' };
    assert.equal(toolCommand({ ...call, title: '`make`', command: 'make' }), undefined);
    assert.equal(toolCommand({ ...call, title: 'Build', command: 'make' }), 'make');
  });
});

test('the agents that can be started are offered with the default one first', () => {
  const agent = (name: string, installed: boolean, more = {}) => ({
    name,
    installed,
    how: name,
    running: false,
    ...more,
  });
  const agents = [agent('a', true), agent('b', false), agent('c', true, { default: true })];
  assert.deepEqual(
    startable(agents).map(({ name }) => name),
    ['c', 'a'],
  );
  assert.deepEqual(
    startable(agents.slice(0, 2)).map(({ name }) => name),
    ['a'],
  );
});
