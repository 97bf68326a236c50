import * as assert from 'node:assert/strict';
import { Lasting } from '../../src/lasting';
import { registered } from './vscode';

suite('commands that last', () => {
  const ran: unknown[] = [];
  let lasting: Lasting;
  setup(() => {
    ran.length = 0;
    lasting = new Lasting(async (command, args) => {
      ran.push([command, ...args]);
    });
  });
  teardown(() => lasting.dispose());

  const of = (id: string) =>
    lasting.of({ title: 'Reject', command: 'acp.review.reject', arguments: [{ hunks: [id] }] });

  test('are run with what they were given, by a name alone', () => {
    const [first, second] = [of('a'), of('b')];
    assert.deepEqual(first, { title: 'Reject', command: first.command });
    registered.get(second.command)?.();
    registered.get(first.command)?.();
    const reject = (id: string) => ['acp.review.reject', { hunks: [id] }];
    assert.deepEqual(ran, [reject('b'), reject('a')]);
  });

  test('are the same for the same, and as many as are shown lately', () => {
    const first = of('first');
    for (let n = 0; n < 1000; n++) {
      of(`${n}`);
      assert.equal(of('first').command, first.command);
    }
    assert.ok(registered.has(first.command));
    assert.equal(registered.size, 200);
    lasting.dispose();
    assert.equal(registered.size, 0);
  });
});
