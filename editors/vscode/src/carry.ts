/** Where places of a text are after it has changed. Pure. */
import { compare } from './compare';
import { difference } from './text';

export interface Place {
  line: number;
  character: number;
}

/** The rows of a text, as VS Code counts them. */
function rowsOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** A run of rows that were replaced: by the rows from `to` on. */
interface Block {
  from: number;
  to: number;
  removed: string[];
  added: string[];
}

/**
 * Carries places of one text over to another, row by row: where the row is the same its column is;
 * in one that has changed it is beside the same characters.
 */
export function carrier(before: string, after: string): (place: Place) => Place {
  const now = rowsOf(after);
  const same = new Map<number, number>();
  const blocks = new Map<number, Block>();
  let from = 0;
  let to = 0;
  let block: Block | undefined;
  for (const { kind, text } of compare(before, after)) {
    if (kind === 'same') {
      block = undefined;
      same.set(from++, to++);
      continue;
    }
    block ??= { from, to, removed: [], added: [] };
    if (kind === 'removed') {
      block.removed.push(text);
      blocks.set(from++, block);
    } else {
      block.added.push(text);
      to++;
    }
  }
  const valid = ({ line, character }: Place): Place => {
    const row = Math.min(line, now.length - 1);
    const most = now[row]?.length ?? 0;
    return { line: row, character: row < line ? most : Math.min(character, most) };
  };
  return ({ line, character }) => {
    const kept = same.get(line);
    if (kept !== undefined) {
      return valid({ line: kept, character });
    }
    const changed = blocks.get(line);
    if (changed === undefined) {
      return valid({ line: to + line - from, character }); // the empty row at the end
    }
    const at = likest(changed, line - changed.from);
    if (at === undefined) {
      return valid({ line: changed.to, character: 0 });
    }
    const had = changed.removed[line - changed.from] ?? '';
    return { line: changed.to + at, character: columnOf(had, changed.added[at] ?? '', character) };
  };
}

/** Which of the rows of a block one that was there has become. */
function likest({ removed, added }: Block, at: number): number | undefined {
  const had = removed[at] ?? '';
  let best: number | undefined;
  let most = -1;
  for (const [index, row] of added.entries()) {
    const { start, end } = difference(had, row);
    const like = had.length - (end - start);
    if (like > most || (like === most && Math.abs(index - at) < Math.abs((best ?? 0) - at))) {
      most = like;
      best = index;
    }
  }
  return best;
}

/** Longer rows are not compared word by word. */
const longest = 2000;

/** Beside the word that it was behind, or in, or else the one that it was before. */
function columnOf(had: string, has: string, character: number): number {
  if (had.length <= longest && has.length <= longest) {
    const words = sameWords(had, has);
    const behind = words.find(({ from, end }) => from < character && character <= end);
    const word = behind ?? words.find(({ from }) => from === character);
    if (word !== undefined) {
      return word.to + character - word.from;
    }
    const before = words.findLast(({ end }) => end < character) ?? { from: 0, end: 0, to: 0 };
    const next = words.find(({ from }) => from > character);
    const to = before.to + before.end - before.from;
    const old = had.slice(before.end, next?.from);
    return to + besideEnds(old, has.slice(to, next?.to), character - before.end);
  }
  return besideEnds(had, has, character);
}

function besideEnds(had: string, has: string, character: number): number {
  const { start, end } = difference(had, has);
  if (character <= start) {
    return character;
  }
  return character >= end ? has.length - (had.length - character) : start;
}

/** The words of a row, and what is between them, that another has as well: from where to where. */
function sameWords(had: string, has: string): { from: number; end: number; to: number }[] {
  const words = (row: string): string => (row.match(/\w+|./gsu) ?? []).join('\n');
  const same: { from: number; end: number; to: number }[] = [];
  let from = 0;
  let to = 0;
  for (const { kind, text } of compare(words(had), words(has))) {
    if (kind === 'same') {
      same.push({ from, end: from + text.length, to });
    }
    from += kind === 'added' ? 0 : text.length;
    to += kind === 'removed' ? 0 : text.length;
  }
  return same;
}
