import * as assert from 'node:assert/strict';
import { InOrder } from '../../src/inOrder';

suite('in order', () => {
  test('at once if nothing is under way, also when something has ended or failed', async () => {
    const order = new InOrder(60_000);
    for (const ends of [async () => undefined, () => Promise.reject(new Error('no'))]) {
      let begun = false;
      const run = order.run(() => {
        begun = true;
        return ends();
      });
      assert.ok(begun);
      await run.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test('one after the other, also after one that has failed', async () => {
    const order = new InOrder(60_000);
    const done: string[] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const all = [
      order.run(async () => {
        await held;
        done.push('a');
      }),
      order.run(async () => {
        done.push('b');
        throw new Error('no');
      }),
      order.run(async () => done.push('c')),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(done, []);
    release();
    const results = await Promise.allSettled(all);
    assert.deepEqual(done, ['a', 'b', 'c']);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  test('what does not end is not waited for any longer', async () => {
    const order = new InOrder(1);
    void order.run(() => new Promise(() => undefined));
    assert.equal(await order.run(async () => 'done'), 'done');
  });
});
