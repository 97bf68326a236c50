import * as assert from 'node:assert/strict';
import { changeOf, countLines, moved, splitLines } from '../../src/review/lines';

/** A change from [line, character] to [line, character]. */
function change(from: [number, number], to: [number, number], text: string) {
  const at = ([line, character]: [number, number]) => ({ line, character });
  return changeOf({ range: { start: at(from), end: at(to) }, text });
}

suite('lines', () => {
  const cases: Array<[string, [number, number], [number, number], string, [number, number]]> = [
    ['a line put in before', [2, 0], [2, 0], 'x\n', [6, 8]],
    ['a line put in right before', [5, 0], [5, 0], 'x\n', [6, 8]],
    ['two lines taken away before', [1, 0], [3, 0], '', [3, 5]],
    ['a line put in after', [7, 0], [7, 0], 'x\n', [5, 7]],
    ['a line put in inside', [6, 0], [6, 0], 'x\n', [5, 8]],
    ['a line broken inside', [5, 3], [5, 3], '\n', [5, 8]],
    ['a line taken away inside', [5, 0], [6, 0], '', [5, 6]],
    ['typed in', [6, 1], [6, 4], 'word', [5, 7]],
    ['typed in the line before', [4, 1], [4, 1], 'word', [5, 7]],
    ['all of it and more taken away', [4, 0], [9, 0], '', [4, 4]],
    ['joined with the line before', [4, 9], [5, 0], '', [4, 6]],
    ['all lines replaced by as many', [0, 0], [9, 0], 'x\n'.repeat(9), [5, 7]],
    ['these lines replaced by as many', [5, 0], [7, 0], 'x\ny\n', [5, 7]],
    ['line ends of Windows count once', [2, 0], [2, 0], 'x\r\ny\r\n', [7, 9]],
  ];
  for (const [name, from, to, text, want] of cases) {
    test(name, () => {
      const { start, end } = moved({ start: 5, end: 7 }, change(from, to, text));
      assert.deepEqual([start, end], want);
    });
  }

  test('a place between lines stays one', () => {
    assert.deepEqual(moved({ start: 5, end: 5 }, change([5, 0], [5, 0], 'x\n')), {
      start: 6,
      end: 6,
    });
    assert.deepEqual(moved({ start: 5, end: 5 }, change([5, 2], [5, 2], '\n')), {
      start: 5,
      end: 5,
    });
  });

  test('lines of a text', () => {
    assert.equal(countLines(''), 0);
    assert.equal(countLines('a\n'), 1);
    assert.equal(countLines('a\nb'), 2);
    assert.equal(countLines('a\r\n\r\n'), 2);
    assert.deepEqual(splitLines('a\r\nb\n'), ['a', 'b']);
    assert.deepEqual(splitLines(''), []);
  });
});
