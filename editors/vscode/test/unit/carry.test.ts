import * as assert from 'node:assert/strict';
import { carrier } from '../../src/carry';

/** Carries the place of `|` over. */
function carried(before: string, after: string): string {
  const at = before.indexOf('|');
  const rows = before.slice(0, at).split(/\r\n|\n/);
  const text = before.replace('|', '');
  const place = { line: rows.length - 1, character: rows.at(-1)?.length ?? 0 };
  const { line, character } = carrier(text, after)(place);
  const ends = [...after.matchAll(/\r\n|\n/g)].map(({ index, 0: end }) => index + end.length);
  const offset = [0, ...ends][line];
  assert.ok(offset !== undefined && character >= 0, `row ${line} is not there`);
  return `${after.slice(0, offset + character)}|${after.slice(offset + character)}`;
}

suite('a place of a text that has changed', () => {
  for (const [what, before, want] of [
    ['between rows that have', 'a\nb\nc|\nd\ne\n', 'A\nmore\nb\nc|\nd\nE\n'],
    ['behind rows that were taken away', 'a\nb\nc\nd|\n', 'c\nd|\n'],
    ['before them', 'a|\nb\nc\n', 'a|\n'],
    ['in one that was taken away', 'a\nb|b\nc\n', 'a\n|c\n'],
    ['in the last one, that was taken away', 'a\nb|b', 'a|'],
    ['in the empty row at the end', 'a\nb\n|', 'A\nB\nmore\n|'],
    ['in an empty row at the end that is gone', 'a\nb\n|', 'A\nb|'],
    ['without an end', 'a\nb\nc|', 'A\nb\nc|'],
    ['that has an end now', 'a\nb\nc|', 'A\nb\nc|\n'],
    ['with line ends of Windows', 'a\r\nb|\r\nc\r\n', 'A\r\nb|\r\nC\r\n'],
    ['with other line ends', 'a\r\nb|\r\nc\r\n', 'A\nb|\nC\n'],
    ['in a row that has changed behind it', 'f(|a)\n', 'f(|a, b)\n'],
    ['in a row that has changed before it', 'let a = f(|)\n', 'const a = f(|)\n'],
    ['in a row that has changed around it', 'abc|def\n', 'ab|xyef\n'],
    ['at the end of one', 'row 6|\n', 'my row 6|\n'],
    ['in a row above which one was made', 'one\ntwo| and\n', 'one\nnew\ntwo| AND\n'],
    ['in a row that has changed on both sides', 'let a = f(|)\n', 'const a = f(|, b)\n'],
    ['in a word of it that is new', 'let a|b = 1\n', 'const a|c = 1\n'],
    ['in a text that is all others', 'a|\nb\n', 'x|\ny\n'],
    ['in a text that was emptied', 'a\nb|\n', '|'],
    ['in an empty text', '|', 'a\nb\n|'],
  ] as const) {
    test(`${what} is where its characters are`, () => {
      assert.equal(carried(before, want.replace('|', '')), want);
    });
  }
});
