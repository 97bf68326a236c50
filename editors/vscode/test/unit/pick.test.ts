import * as assert from 'node:assert/strict';
import type { App } from '../../src/app';
import type { Commands, Review, SessionInfo, Undoable } from '../../src/contract';
import { CommandError, messageOf } from '../../src/errors';
import { login, restart, restore, undo } from '../../src/pick';
import { type Item, picks, presses, said } from './vscode';

/** Stands for all that a command is run with: acp-ls answers what the test says. */
function appWith(answer: (command: string, params: object) => unknown): App {
  const execute = async (command: string, params: object) => answer(command, params);
  const showError = (err: unknown) => said.push(messageOf(err));
  const perform = (command: string, params: object) => execute(command, params).catch(showError);
  return { execute, perform, showError, model: { setAgents: () => undefined } } as unknown as App;
}

suite('a login', () => {
  const methods = [
    { id: 'key', name: 'API key' },
    { id: 'account', name: 'Account', description: 'in the browser' },
  ];
  let lists: string[][];
  setup(() => {
    said.length = 0;
    lists = [];
  });
  teardown(() => {
    picks.of = () => undefined;
  });

  /** Logs in to an agent that has these methods, and none that is set. */
  async function tried(kind: string, of: typeof methods, chosen?: string): Promise<unknown[]> {
    const asked: unknown[] = [];
    picks.of = (items: Item[]) => {
      lists.push(items.map(({ label = '' }) => label));
      return items.find(({ label }) => label === (lists.length === 1 ? 'demo' : chosen));
    };
    const app = appWith((command, params) => {
      if (command === 'acp.agent.list') {
        return { agents: [{ name: 'demo', installed: true, how: '', running: true, methods: of }] };
      }
      asked.push(params);
      if ('method' in params) {
        return {};
      }
      throw new CommandError('name one', kind);
    });
    await login(app);
    return asked;
  }

  test('by several methods has the user choose one', async () => {
    assert.deepEqual(await tried('invalid', methods, 'Account'), [
      { agent: 'demo' },
      { agent: 'demo', method: 'account' },
    ]);
    assert.deepEqual(lists, [['demo'], ['API key', 'Account']]);
    assert.deepEqual(said, ['Logged in to demo.']);
  });

  test('of which no method is chosen is none, and nothing is said', async () => {
    assert.deepEqual(await tried('invalid', methods), [{ agent: 'demo' }]);
    assert.deepEqual(said, []);
  });

  for (const [why, kind, of] of [
    ['that fails', 'agentFailed', methods],
    ['for which there is nothing to choose', 'invalid', methods.slice(1)],
  ] as const) {
    test(`${why} says so`, async () => {
      assert.deepEqual(await tried(kind, [...of], 'Account'), [{ agent: 'demo' }]);
      assert.deepEqual(said, ['name one']);
    });
  }
});

suite('a restart', () => {
  const session = (id: string, of: Partial<SessionInfo>): SessionInfo =>
    ({ session: id, agent: 'demo', state: 'idle', ...of }) as SessionInfo;
  let done: unknown[];
  setup(() => {
    said.length = 0;
    done = [];
  });
  teardown(() => {
    picks.of = () => undefined;
    presses.clear();
  });

  /** Restarts what the user chooses of the list; the first session is the one that is shown. */
  async function run(choose: string | undefined, sessions: SessionInfo[]): Promise<unknown[]> {
    let list: unknown[] = [];
    picks.of = (items) => {
      list = items.map(({ label }) => label);
      return items.find(({ label }) => label === choose);
    };
    const app = appWith((command, params) => done.push([command, params]));
    const model = {
      startedAgents: () => [...new Set(sessions.map(({ agent }) => agent))],
      sessions: () => sessions,
      currentSession: () => sessions[0],
    };
    await restart(Object.assign(app, { model, restart: async () => done.push('acp-ls') }));
    return list;
  }
  const ended = ['acp.agent.restart', { agent: 'demo' }];

  test('without agents is of acp-ls', async () => {
    assert.deepEqual(await run(undefined, []), []);
    assert.deepEqual(done, ['acp-ls']);
  });

  test('asks which', async () => {
    const sessions = [session('a', { state: 'running' }), session('b', { agent: 'other' })];
    assert.deepEqual(await run('demo', sessions), ['demo', 'other', 'acp-ls']);
    await run('acp-ls', sessions);
    await run(undefined, sessions);
    assert.deepEqual(done, [ended, 'acp-ls']);
    assert.deepEqual(said, []);
  });

  test('that would end what the agent does elsewhere asks first', async () => {
    const stops = session('b', { state: 'running', stopping: true });
    await run('demo', [
      session('a', {}),
      stops,
      session('c', { agent: 'other', state: 'running' }),
    ]);
    assert.deepEqual(done.splice(0), [ended]);
    const sessions = [session('a', {}), session('b', { state: 'waiting' })];
    await run('demo', sessions);
    assert.deepEqual([said, done], [['Restart demo?'], []]);
    presses.add('Restart demo?');
    await run('demo', sessions);
    assert.deepEqual(done, [ended]);
  });
});

suite('an undo', () => {
  const time = Date.UTC(2026, 10, 29, 18, 3);
  const earlier = {
    session: 'x',
    agent: 'demo',
    title: 'of yesterday',
    time,
    files: 2,
    ended: true,
  };
  const live = { session: 'a', agent: 'demo', title: 'first', files: 1 };
  const working = { session: 'b', agent: 'other', title: 'of now', files: 1, turn: 'b.1' };
  let done: unknown[];
  setup(() => {
    said.length = 0;
    done = [];
  });
  teardown(() => {
    picks.of = () => undefined;
  });

  /** Undoes what the user chooses of the list, where session `a` is shown, if it is. */
  async function run(choose: string, sessions: Undoable[], shown?: string): Promise<string[]> {
    let list: Item[] = [];
    picks.of = (items) => {
      list = items;
      return items.find(({ label }) => label === choose);
    };
    const app = appWith((command, params) =>
      command === 'acp.review.undoable' ? { sessions } : done.push([command, params]),
    );
    const entries = ['first\nof two', 'second'].map((text, i) => ({
      kind: 'user',
      turn: `a.${i + 1}`,
      text,
    }));
    const model = {
      currentSession: () => shown && { session: shown },
      isAlive: (id: string) => id === 'a',
      state: () => ({ entries }),
    };
    await undo(Object.assign(app, { model }) as unknown as App);
    return list.map(({ label = '', description = '' }) => `${label}|${description}`);
  }
  const undone = (of: object) => ['acp.review.undo', of];
  const offered = [
    'other sessions|',
    'of now|other · 1 file · at work',
    `of yesterday|demo · ${new Date(time).toLocaleString()} · 2 files`,
  ];

  test('offers the turns of the session that is shown, all of it, and the others', async () => {
    const list = ['second|this turn', 'first|this turn', 'Everything of this session|'];
    const sessions = [working, live, earlier];
    assert.deepEqual(await run('second', sessions, 'a'), [...list, ...offered]);
    await run('Everything of this session', sessions, 'a');
    await run('of yesterday', sessions, 'a');
    await run('nothing of these', sessions, 'a');
    assert.deepEqual(done, [
      undone({ session: 'a', turn: 'a.2' }),
      undone({ session: 'a' }),
      undone({ session: 'x' }),
    ]);
    assert.deepEqual(said, []);
  });

  for (const shown of [undefined, 'of an earlier run']) {
    test(`where ${shown ?? 'none'} is shown offers those that there are`, async () => {
      assert.deepEqual(await run('of yesterday', [working, earlier], shown), offered);
      assert.deepEqual(done, [undone({ session: 'x' })]);
      assert.deepEqual(await run('', [], shown), []);
      assert.deepEqual(said, ['There is no session whose changes could be undone.']);
    });
  }
});

suite('bringing back', () => {
  const discarded = { uri: 'file:///b', decided: 6, message: 'demo still waits' };
  const rejectedAt = (decided: number): Review => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const hunk = { id: 'h', state: 'rejected', origins: [], range, baseText: '', text: 'x\n' };
    const hunks = [{ ...hunk, mixed: false, decided }];
    return { uri: 'file:///a', rev: '1', seq: 1, version: null, hunks };
  };
  const made: Review = {
    ...rejectedAt(7),
    hunks: [],
    file: { id: 'f', op: 'create', state: 'rejected', decided: 7 },
  };
  let list: { items: Item[]; options: Item } | undefined;
  let restored: unknown[];
  setup(() => {
    said.length = 0;
    list = undefined;
    restored = [];
    picks.of = (items, options) => {
      list = { items, options };
      return items.filter(({ picked }) => picked); // the user presses Enter
    };
  });
  teardown(() => {
    picks.of = () => undefined;
  });
  const run = (result: Commands['acp.review.list']['result']): Promise<void> =>
    restore(
      appWith((command, params) => {
        if (command === 'acp.review.list') {
          return result;
        }
        restored.push(params);
        return { decided: [], refused: [] };
      }),
    );

  test('what was rejected, if it alone was, asks only for a yes', async () => {
    await run({ files: [rejectedAt(5)] });
    assert.deepEqual(restored, [{ hunks: ['h'] }]);
    assert.deepEqual(said, []);
  });

  test('what was discarded last: it is said, and what was rejected before is not chosen', async () => {
    await run({ files: [rejectedAt(5)], discarded });
    assert.deepEqual(restored, []);
    assert.equal(said[0], 'demo still waits');
    assert.match(list?.options.placeHolder ?? '', /rejected before that/);
  });

  test('what was discarded, and nothing else is there to bring back', async () => {
    await run({ files: [], discarded });
    assert.equal(list, undefined);
    assert.deepEqual(said, ['demo still waits']);
  });

  for (const [what, file] of [
    ['a hunk', rejectedAt(7)],
    ['a file as a whole', made],
  ] as const) {
    test(`${what} that was rejected after something was discarded is the last`, async () => {
      await run({ files: [file], discarded });
      assert.equal(restored.length, 1);
      assert.deepEqual(said, []);
    });
  }

  test('of several none is checked: Enter takes the one that the keys have gone to', async () => {
    const two = { files: [rejectedAt(5), made] };
    await run(two);
    assert.match(said.splice(0).join(), /no change was chosen/);
    picks.of = (items) => [Object.assign(items[1] as Item, { active: true })];
    await run(two);
    picks.of = (items) => [Object.assign(items[1] as Item, { active: true }), items[0]];
    await run(two);
    picks.of = () => undefined;
    await run(two);
    assert.deepEqual(restored, [{ hunks: ['h'] }, { hunks: ['f'] }]);
    assert.deepEqual(said, []);
  });

  test('nothing', async () => {
    await run({ files: [] });
    assert.deepEqual(said, ['No change has been rejected.']);
  });
});
