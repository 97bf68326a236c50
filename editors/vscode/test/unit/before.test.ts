import * as assert from 'node:assert/strict';
import { LastConversation } from '../../src/chat/before';
import type { SessionInfo } from '../../src/contract';

function info(members: Partial<SessionInfo>): SessionInfo {
  return {
    session: 's1',
    agent: 'demo',
    sessionId: 'x',
    cwd: '/w',
    title: '',
    state: 'idle',
    options: [],
    commands: [],
    queue: [],
    questions: [],
    pending: { files: 0, hunks: 0 },
    loads: true,
    ...members,
  };
}

suite('the conversation of before', () => {
  let kept: Map<string, unknown>;
  let writes: number;
  let last: LastConversation;
  setup(() => {
    kept = new Map();
    writes = 0;
    last = new LastConversation({
      get: (key) => kept.get(key),
      update: async (key, value) => {
        writes++;
        kept.set(key, value);
      },
    });
  });

  test('the last one that was shown, written when it changes', () => {
    assert.equal(last.get(), undefined);
    last.note(info({ title: 'one' }));
    last.note(info({ title: 'one', state: 'running' }));
    assert.deepEqual(last.get(), { agent: 'demo', sessionId: 'x', cwd: '/w', title: 'one' });
    assert.equal(writes, 1);
    last.note(info({ title: 'two', sessionId: 'y' }));
    assert.equal(last.get()?.title, 'two');
  });

  test('a session that its agent has not named yet cannot be loaded', () => {
    last.note(info({ title: 'one', sessionId: '' }));
    assert.equal(last.get(), undefined);
  });

  test('one whose agent cannot load sessions is gone, and the one before it is not offered', () => {
    last.note(info({ title: 'one' }));
    last.note(info({ agent: 'other', title: 'two', loads: false }));
    const two = { agent: 'other', sessionId: 'x', cwd: '/w', title: 'two', gone: true };
    assert.deepEqual(last.get(), two);
    last.note(info({ agent: 'other', title: 'two', loads: false }));
    assert.equal(writes, 2);
    last.note(info({ title: 'one' }));
    assert.equal(last.get()?.gone, undefined);
  });

  test('a title stays when the session is loaded without one, and no other takes it', () => {
    last.note(info({ title: 'one' }));
    last.note(info({}));
    assert.equal(last.get()?.title, 'one');
    last.note(info({ agent: 'other' }));
    assert.equal(last.get()?.title, '');
  });

  test('it is forgotten, but not in the place of another', () => {
    last.note(info({}));
    last.forget({ agent: 'demo', sessionId: 'y' });
    last.forget({ agent: 'other', sessionId: 'x' });
    assert.equal(last.get()?.sessionId, 'x');
    last.forget(info({}));
    assert.equal(last.get(), undefined);
  });

  test('what is no conversation is none', () => {
    for (const value of [null, 'text', {}, { agent: 'demo' }]) {
      kept.set('conversation', value);
      assert.equal(last.get(), undefined);
    }
  });
});
