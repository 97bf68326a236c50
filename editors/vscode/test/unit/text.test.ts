import * as assert from 'node:assert/strict';
import { difference, endsOf } from '../../src/text';

/** Numbers that are the same on every run. */
function random(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
}

function words(next: (below: number) => number, most: number): string {
  const some = ['a', 'b', '\n', '\r\n', '😀', 'é', ''];
  return Array.from({ length: next(most) }, () => some[next(some.length)]).join('');
}

const halves = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

suite('text', () => {
  test('line ends of a text', () => {
    for (const [text, ends] of [
      ['', undefined],
      ['a', undefined],
      ['a\n\n', '\n'],
      ['\r\na\r\nb', '\r\n'],
      ['a\r\nb\n', 'mixed'],
      ['a\r', 'mixed'],
      ['a\n\r', 'mixed'],
    ] as const) {
      assert.equal(endsOf(text), ends, JSON.stringify(text));
    }
  });

  test('a difference gives the other text, and cuts no character', () => {
    const next = random(1);
    for (let i = 0; i < 5000; i++) {
      const have = words(next, 12);
      const want = words(next, 12);
      const { start, end, insert } = difference(have, want);
      assert.equal(have.slice(0, start) + insert + have.slice(end), want);
      assert.doesNotMatch(insert, halves);
      for (const at of [start, end]) {
        assert.doesNotMatch(have.slice(0, at), /[\uD800-\uDBFF]$/);
        assert.ok(!(have[at - 1] === '\r' && have[at] === '\n'), JSON.stringify([have, want]));
      }
    }
  });
});
