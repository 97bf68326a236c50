/** A difference of two texts, line by line. Pure. */

export interface Line {
  kind: 'same' | 'added' | 'removed' | 'gap';
  /** Of a gap: what is left out. */
  text: string;
}

/** More than this many edits are not looked for one by one. */
const mostEdits = 400;

/** How many lines are left around what differs. */
const around = 3;

function split(text: string): string[] {
  if (text === '') {
    return [];
  }
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines;
}

/** All lines of both texts, the unchanged ones too. */
export function compare(before: string, after: string): Line[] {
  const a = split(before);
  const b = split(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  let tail = 0;
  while (
    tail < a.length - start &&
    tail < b.length - start &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail++;
  }
  const same = (lines: string[]): Line[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - tail), b.slice(start, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

/** Myers' shortest edit script; of texts that hardly have a line in common, one whole change. */
function middle(a: string[], b: string[]): Line[] {
  const most = Math.min(a.length + b.length, mostEdits);
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  const at = (map: Map<number, number>, k: number) => map.get(k) ?? -1;
  for (let d = 0; d <= most; d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1));
      let x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
        x++;
      }
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) {
        return walk(a, b, trace);
      }
    }
  }
  return [
    ...a.map((text): Line => ({ kind: 'removed', text })),
    ...b.map((text): Line => ({ kind: 'added', text })),
  ];
}

function walk(a: string[], b: string[], trace: Map<number, number>[]): Line[] {
  const lines: Line[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d];
    const at = (k: number) => reach?.get(k) ?? -1;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const from = d === 0 ? 0 : at(down ? k + 1 : k - 1);
    const fromY = d === 0 ? 0 : from - (down ? k + 1 : k - 1);
    const afterX = d === 0 ? 0 : down ? from : from + 1;
    while (x > afterX) {
      lines.push({ kind: 'same', text: a[--x] ?? '' });
      y--;
    }
    if (d > 0) {
      lines.push(
        down ? { kind: 'added', text: b[fromY] ?? '' } : { kind: 'removed', text: a[from] ?? '' },
      );
    }
    x = from;
    y = fromY;
  }
  return lines.reverse();
}

/** The lines that differ, with a few around them. */
export function folded(lines: Line[]): Line[] {
  const near = lines.map(() => false);
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') {
      for (let j = Math.max(0, i - around); j <= Math.min(lines.length - 1, i + around); j++) {
        near[j] = true;
      }
    }
  }
  const out: Line[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (near[i] && line !== undefined) {
      out.push(line);
      i++;
      continue;
    }
    const next = near.indexOf(true, i);
    const count = (next === -1 ? lines.length : next) - i;
    out.push({ kind: 'gap', text: count === 1 ? '1 line' : `${count} lines` });
    i += count;
  }
  return out;
}

export function counts(lines: Line[]): { added: number; removed: number } {
  return {
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
  };
}
