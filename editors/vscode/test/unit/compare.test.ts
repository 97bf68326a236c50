import * as assert from 'node:assert/strict';
import { compare, counts, folded, type Line } from '../../src/compare';

const signs = { same: ' ', added: '+', removed: '-', gap: '~' };
const drawn = (lines: Line[]) => lines.map(({ kind, text }) => signs[kind] + text).join('\n');
const side = (lines: Line[], other: Line['kind']) =>
  lines.filter(({ kind }) => kind !== other).map(({ text }) => text);

suite('differences in the chat', () => {
  test('lines that differ', () => {
    assert.equal(drawn(compare('a\nb\nc\n', 'a\nx\nc\n')), ' a\n-b\n+x\n c');
    assert.equal(drawn(compare('', 'a\n')), '+a');
    assert.equal(drawn(compare('a\r\nb', 'a\nb\n')), ' a\n b');
    assert.equal(drawn(compare('a\nb\nc\nd\n', 'b\nd\ne\n')), '-a\n b\n-c\n d\n+e');
  });

  test('what is in a line is no sign of a difference', () => {
    const like = ['+', '-', '+x', '-x', '++x', '--x', '--- a', '+++ b', '@@ -1 +1 @@', ' x', ''];
    for (const line of [...like, '\\ No newline at end of file', '⋯', '−x']) {
      const [without, within] = ['a\nb\n', `a\n${line}\nb\n`];
      const one = { added: 1, removed: 0 };
      const other = { added: 0, removed: 1 };
      assert.deepEqual(counts(compare(without, within)), one, line);
      assert.deepEqual(counts(compare(within, without)), other, line);
      assert.deepEqual(counts(compare('', line || '\n')), one, line);
      assert.deepEqual(counts(compare(`${line}\n`, `${line}${line}+\n`)), { added: 1, removed: 1 });
      assert.equal(compare(without, within)[1]?.text, line);
    }
  });

  test('both texts are in every difference, and it is as short as can be', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    const text = () => Array.from({ length: random(9) }, () => 'abc'[random(3)] ?? '');
    for (let i = 0; i < 2000; i++) {
      const [a, b] = [text(), text()];
      const lines = compare(a.join('\n'), b.join('\n'));
      assert.deepEqual(side(lines, 'added'), a);
      assert.deepEqual(side(lines, 'removed'), b);
      const { added, removed } = counts(lines);
      assert.equal(added + removed, a.length + b.length - 2 * common(a, b), `${a} | ${b}`);
    }
  });

  test('texts that are wholly different are still shown', () => {
    const many = (word: string) => Array.from({ length: 3000 }, (_, i) => `${word}${i}`).join('\n');
    assert.deepEqual(counts(compare(many('a'), many('b'))), { added: 3000, removed: 3000 });
  });

  test('what is far from a change is folded', () => {
    const before = Array.from({ length: 20 }, (_, i) => String(i));
    const after = before.map((line) => (line === '10' ? 'x' : line));
    const lines = folded(compare(before.join('\n'), after.join('\n')));
    assert.equal(drawn(lines), '~7 lines\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n~6 lines');
  });
});

function common(a: string[], b: string[]): number {
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      (best[i] as number[])[j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at(0, 0);
}
