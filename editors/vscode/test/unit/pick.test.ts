import * as assert from 'node:assert/strict';
import type { App } from '../../src/app';
import { CommandError, messageOf } from '../../src/errors';
import { login } from '../../src/pick';
import { type Item, picks, said } from './vscode';

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
