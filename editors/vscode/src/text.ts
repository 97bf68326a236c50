/** Small changes of whole texts. Offsets count UTF-16 units. Pure. */

export interface Difference {
  start: number;
  end: number;
  insert: string;
}

/**
 * What has to be replaced in `have` to get `want`: one span, whose ends are never inside a pair
 * that is one character or one line end.
 */
export function difference(have: string, want: string): Difference {
  const most = Math.min(have.length, want.length);
  let start = 0;
  while (start < most && have[start] === want[start]) {
    start++;
  }
  let tail = 0;
  while (tail < most - start && have.at(-1 - tail) === want.at(-1 - tail)) {
    tail++;
  }
  const splits = (text: string, at: number): boolean =>
    /^(\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(at - 1, at + 1));
  while (start > 0 && (splits(have, start) || splits(want, start))) {
    start--;
  }
  while (tail > 0 && (splits(have, have.length - tail) || splits(want, want.length - tail))) {
    tail--;
  }
  return { start, end: have.length - tail, insert: want.slice(start, want.length - tail) };
}

/** Whether two texts are the same but for line ends, which a document has of one kind only. */
export function sameText(a: string, b: string): boolean {
  return lf(a) === lf(b);
}

/** A text with the line ends of Unix. */
export function lf(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\r/g, '\n');
}

/** The line ends a text has; undefined if it has none. */
export function endsOf(text: string): '\n' | '\r\n' | 'mixed' | undefined {
  const kinds = new Set(text.match(/\r\n|\r|\n/g));
  const [kind] = kinds;
  if (kind === undefined) {
    return undefined;
  }
  return kinds.size === 1 && kind !== '\r' ? (kind as '\n' | '\r\n') : 'mixed';
}
