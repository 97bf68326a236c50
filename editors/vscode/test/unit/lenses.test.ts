import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import type { Review } from '../../src/contract';
import { Lenses } from '../../src/review/lenses';
import { ReviewState } from '../../src/review/state';
import * as fake from './vscode';

/** VS Code loses what it has asked for at times: it is made to ask again. */
suite('code lenses', () => {
  let folder: string;
  setup(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-lenses-'));
  });
  teardown(() => {
    mock.timers.reset();
    fs.rmSync(folder, { recursive: true, force: true });
    fake.window.visibleTextEditors.length = 0;
  });

  /** What is known of b.txt. */
  function review(seq: number, op?: 'rename'): Review {
    const uri = `file://${path.join(folder, 'b.txt')}`;
    const file = op && { file: { id: `file:${uri}`, op } };
    return { uri, rev: '1', seq, version: null, hunks: [], ...file };
  }

  /** Whether they are asked for anew, for each thing that comes to be known of b.txt. */
  function askedAfter(visible: string, known: Review[]): boolean[] {
    const document = new fake.FakeDocument(path.join(folder, visible), '');
    fake.window.visibleTextEditors.push({ document });
    const state = new ReviewState();
    let asked = false;
    const lenses = new Lenses(state, (of) => {
      assert.equal(of, document as unknown as vscode.TextDocument);
      asked = true;
    });
    const all: boolean[] = [];
    for (const one of known) {
      state.update(one);
      asked = false;
      lenses.again();
      mock.timers.tick(1000);
      all.push(asked);
    }
    lenses.dispose();
    return all;
  }

  const renamed = (seq: number): Review => review(seq, 'rename');
  const decided = (seq: number): Review => review(seq);

  for (const visible of ['b.txt', 'a.txt']) {
    test(`in ${visible}, of a change of b.txt`, () => {
      assert.deepEqual(askedAfter(visible, [renamed(1)]), [true]);
    });
  }

  test('once more when all is decided', () => {
    const known = [renamed(1), decided(2), decided(3)];
    assert.deepEqual(askedAfter('a.txt', known), [true, true, false]);
  });

  test('not where there was nothing to decide on', () => {
    assert.deepEqual(askedAfter('a.txt', [decided(1)]), [false]);
  });
});
