import * as assert from 'node:assert/strict';
import type { Hunk, Review } from '../../src/contract';
import { changeOf } from '../../src/review/lines';
import { linesOf, ReviewState, wholeOf } from '../../src/review/state';

function hunk(id: string, start: number, end: number, state = 'pending'): Hunk {
  return {
    id,
    state,
    origins: [],
    range: { start: { line: start, character: 0 }, end: { line: end, character: 0 } },
    baseText: 'old\n',
    text: 'new\nnew\n',
    mixed: false,
  };
}

function review(uri: string, version: number | null, ...hunks: Hunk[]): Review {
  return { uri, rev: '1', seq: 1, version, hunks };
}

const put = (line: number, text: string) =>
  changeOf({ range: { start: { line, character: 0 }, end: { line, character: 0 } }, text });

suite('review state', () => {
  test('an empty list clears', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('h', 1, 2)));
    assert.deepEqual(state.counts(), { files: 1, hunks: 1, conflicts: 0 });
    state.update(review('a', 1));
    assert.deepEqual(state.counts(), { files: 0, hunks: 0, conflicts: 0 });
  });

  test('what comes after a newer one is left', () => {
    const state = new ReviewState();
    const two = review('a', 1, hunk('h', 1, 2), hunk('i', 4, 5));
    state.update({ ...review('a', 1, hunk('i', 4, 5)), seq: 7 });
    state.update({ ...two, seq: 6 });
    assert.deepEqual(state.counts(), { files: 1, hunks: 1, conflicts: 0 });
    state.update({ ...review('a', 1), seq: 8 });
    state.update({ ...two, seq: 6 });
    assert.deepEqual(state.counts(), { files: 0, hunks: 0, conflicts: 0 });
    state.update({ ...review('b', 1, hunk('h', 1, 2)), seq: 5 });
    assert.deepEqual(state.counts(), { files: 1, hunks: 1, conflicts: 0 });
    state.clear(); // another acp-ls counts anew
    state.update({ ...two, seq: 1 });
    assert.deepEqual(state.counts(), { files: 1, hunks: 2, conflicts: 0 });
  });

  test('lines of a version are where later changes have left them', () => {
    const state = new ReviewState();
    state.changed('a', 2, [put(0, 'one\n')]);
    state.changed('a', 3, [put(9, 'below\n'), put(0, 'two\nthree\n')]);
    const of = (version: number) => state.since('a', version, { start: 5, end: 6 });
    assert.deepEqual([1, 2, 3].map(of), [
      { start: 8, end: 9 },
      { start: 7, end: 8 },
      { start: 5, end: 6 },
    ]);
  });

  test('a change of the file alone counts as one', () => {
    const state = new ReviewState();
    state.update({ ...review('a', null), file: { id: 'f', op: 'delete' } });
    assert.deepEqual(state.counts(), { files: 1, hunks: 1, conflicts: 0 });
  });

  test('a change of the file alone is said in a word', () => {
    const says = (change: object): string => wholeOf({ id: 'f', op: 'modify', ...change });
    assert.equal(says({ op: 'delete' }), 'deleted');
    assert.equal(says({ op: 'create' }), 'new');
    assert.equal(says({ op: 'rename', from: 'a' }), 'renamed');
    assert.equal(says({ op: 'rename', from: 'a', state: 'proposed' }), 'about to be changed');
    assert.equal(says({ opaque: 'binary' }), 'changed');
    assert.equal(says({ mode: '+x' }), 'executable now');
    assert.equal(says({ mode: '-bom' }), 'changed: it has lost its byte order mark');
  });

  test('what was decided on in this moment is not decided on again', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('h', 1, 2), hunk('i', 4, 5)));
    const at = (now: number) => state.at('a', 0, 9, now).map(({ hunk }) => hunk.id);
    state.decided(['h', 'else'], 1000);
    assert.deepEqual(at(1000), ['i']);
    assert.deepEqual(at(2000), ['h', 'i']); // it was undone
  });

  test('lines follow changes that come after what was told', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('h', 4, 6)));
    state.changed('a', 2, [put(0, 'x\n')]);
    assert.deepEqual(state.file('a')?.hunks[0]?.lines, { start: 5, end: 7 });
  });

  test('lines of an older version follow the changes since', () => {
    const state = new ReviewState();
    state.changed('a', 2, [put(0, 'x\n')]);
    state.changed('a', 3, [put(0, 'y\n')]);
    state.update(review('a', 2, hunk('h', 4, 6)));
    assert.deepEqual(state.file('a')?.hunks[0]?.lines, { start: 5, end: 7 });
    state.update(review('a', 3, hunk('h', 5, 7)));
    assert.deepEqual(state.file('a')?.hunks[0]?.lines, { start: 5, end: 7 });
  });

  test('versions begin anew when a document is opened again', () => {
    const state = new ReviewState();
    state.changed('a', 9, [put(0, 'x\n')]);
    state.closed('a');
    state.update(review('a', 1, hunk('h', 4, 6)));
    assert.deepEqual(state.file('a')?.hunks[0]?.lines, { start: 4, end: 6 });
  });

  test('the hunks at a line', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('two', 4, 6), hunk('between', 9, 9)));
    const at = (from: number, to?: number) => state.at('a', from, to).map((h) => h.hunk.id);
    assert.deepEqual(at(3), []);
    assert.deepEqual(at(4), ['two']);
    assert.deepEqual(at(5), ['two']);
    assert.deepEqual(at(6), []);
    assert.deepEqual(at(9), ['between']);
    assert.deepEqual(at(0, 20), ['two', 'between']);
    assert.deepEqual(state.at('b', 0), []);
  });

  test('next and previous, in all files, round and round', () => {
    const state = new ReviewState();
    state.update(review('b', 1, hunk('b2', 9, 10), hunk('b1', 1, 2)));
    state.update({ ...review('a', null), file: { id: 'f', op: 'delete' } });
    const walk = (step: 1 | -1) => {
      let from: { uri: string; line: number } | undefined;
      return [0, 1, 2, 3].map(() => {
        const place = state.next(from, step);
        assert.ok(place);
        from = place;
        return `${place.uri}:${place.line} ${state.position(place).number}/${state.position(place).of}`;
      });
    };
    assert.deepEqual(walk(1), ['a:0 1/3', 'b:1 2/3', 'b:9 3/3', 'a:0 1/3']);
    assert.deepEqual(walk(-1), ['b:9 3/3', 'b:1 2/3', 'a:0 1/3', 'b:9 3/3']);
    assert.equal(new ReviewState().next(undefined, 1), undefined);
  });

  test('from within a file that is decided on as a whole it goes to others', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('a', 5, 6)));
    state.update({ ...review('b', null), file: { id: 'f', op: 'delete' } });
    state.update(review('c', 1, hunk('c', 5, 6)));
    assert.equal(state.next({ uri: 'b', line: 3 }, 1)?.uri, 'c');
    assert.equal(state.next({ uri: 'b', line: 3 }, -1)?.uri, 'a');
  });

  test('a file that is gone and not open is one place, whatever was in it', () => {
    const state = new ReviewState();
    const gone = (version: number | null) => {
      const lines = [hunk('h', 0, 0), hunk('i', 5, 5)];
      state.update({ ...review('a', version, ...lines), file: { id: 'f', op: 'delete' } });
      const place = state.next({ uri: 'a', line: 0 }, 1);
      assert.ok(place);
      return [place.line, place.hunk?.id, state.position(place).of];
    };
    assert.deepEqual(gone(null), [0, undefined, 1]);
    assert.deepEqual(gone(3), [5, 'i', 2]);
  });

  test('from a file without changes it goes to the next by name', () => {
    const state = new ReviewState();
    state.update(review('a', 1, hunk('a', 5, 6)));
    state.update(review('c', 1, hunk('c', 5, 6)));
    assert.equal(state.next({ uri: 'b', line: 0 }, 1)?.uri, 'c');
    assert.equal(state.next({ uri: 'b', line: 0 }, -1)?.uri, 'a');
  });

  test('lines put in and taken away', () => {
    assert.deepEqual(linesOf(review('a', 1, hunk('h', 1, 2), hunk('i', 5, 6))), {
      added: 4,
      removed: 2,
    });
  });

  test('lines of a file that was deleted under its document', () => {
    const gone = { ...review('a', 1), file: { id: 'f', op: 'delete' } };
    assert.deepEqual(linesOf(gone, 'one\ntwo\n'), { added: 0, removed: 2 });
    assert.deepEqual(linesOf(gone), { added: 0, removed: 0 });
    assert.deepEqual(linesOf({ ...gone, file: { ...gone.file, opaque: 'binary' } }, 'x\n'), {
      added: 0,
      removed: 0,
    });
    assert.deepEqual(linesOf({ ...gone, hunks: [hunk('h', 1, 2)] }, 'x\ny\nz\n').removed, 1);
  });
});
