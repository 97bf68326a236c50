/**
 * What there is to decide on, as acp-ls told it last: by file, with the lines as they are now.
 * Pure: knows nothing of VS Code.
 */
import type { FileChange, Hunk, Review } from '../contract';
import { type Change, countLines, type Lines, moved } from './lines';

/** A hunk of a file, where it is now. */
export interface PlacedHunk {
  hunk: Hunk;
  lines: Lines;
}

export interface FileReview {
  uri: string;
  /** The revision to name when the whole file is decided on. */
  rev: string;
  review: Review;
  /** From top to bottom. */
  hunks: PlacedHunk[];
}

export interface Counts {
  files: number;
  hunks: number;
  conflicts: number;
}

/** How long acp-ls takes, in milliseconds, to tell of what a decision has left. */
const settles = 400;

/** How many changes of a document are kept, for reviews that are of an older version. */
const keptChanges = 200;

export class ReviewState {
  private readonly files = new Map<string, FileReview>();
  private readonly changes = new Map<string, Array<{ version: number; changes: Change[] }>>();

  /** Which of all reviews was taken last, by file: the answer to a question may come after a newer one. */
  private readonly taken = new Map<string, number>();

  private done: { ids: Set<string>; until: number } = { ids: new Set(), until: 0 };

  /** Takes in what acp-ls has told of a file. */
  update(review: Review): void {
    if (review.seq < (this.taken.get(review.uri) ?? 0)) {
      return;
    }
    this.taken.set(review.uri, review.seq);
    if (review.hunks.length === 0 && review.file === undefined) {
      this.files.delete(review.uri);
      return;
    }
    const { uri, version } = review;
    const hunks = review.hunks.map((hunk) => {
      const lines = { start: hunk.range.start.line, end: hunk.range.end.line };
      return { hunk, lines: version === null ? lines : this.since(uri, version, lines) };
    });
    hunks.sort((a, b) => a.lines.start - b.lines.start || a.lines.end - b.lines.end);
    this.files.set(review.uri, { uri: review.uri, rev: review.rev, review, hunks });
  }

  /** Hunks were decided on, at a time in milliseconds: acp-ls tells what that leaves a moment later. */
  decided(ids: readonly string[], now = Date.now()): void {
    this.done = { ids: new Set(ids), until: now + settles };
  }

  /** A document has changed to `version`. Changes are in the order in which they apply. */
  changed(uri: string, version: number, changes: readonly Change[]): void {
    const kept = this.changes.get(uri) ?? [];
    kept.push({ version, changes: [...changes] });
    this.changes.set(uri, kept.slice(-keptChanges));
    const file = this.files.get(uri);
    if (file !== undefined) {
      file.hunks = file.hunks.map(({ hunk, lines }) => ({
        hunk,
        lines: changes.reduce(moved, lines),
      }));
    }
  }

  /** Where lines of a version of a document are now. */
  since(uri: string, version: number, lines: Lines): Lines {
    return (this.changes.get(uri) ?? [])
      .filter((one) => one.version > version)
      .flatMap(({ changes }) => changes)
      .reduce(moved, lines);
  }

  /** A document was closed: its versions begin anew. */
  closed(uri: string): void {
    this.changes.delete(uri);
  }

  /** Nothing is undecided in a file. */
  forget(uri: string): void {
    this.files.delete(uri);
  }

  clear(): void {
    this.files.clear();
    this.taken.clear();
  }

  file(uri: string): FileReview | undefined {
    return this.files.get(uri);
  }

  /** Whether what is known of a file is of an older version than this of its document. */
  isOlder(uri: string, version: number): boolean {
    const known = this.files.get(uri)?.review.version;
    return known !== undefined && known !== null && known < version;
  }

  /** All files, by name. */
  all(): FileReview[] {
    return [...this.files.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
  }

  counts(): Counts {
    const counts = { files: this.files.size, hunks: 0, conflicts: 0 };
    for (const { review } of this.files.values()) {
      counts.hunks += review.hunks.length + (review.hunks.length === 0 ? 1 : 0);
      counts.conflicts += conflictsOf(review);
    }
    return counts;
  }

  /**
   * The hunks at a line; one between lines is at the line below it. What was decided on in this
   * moment is there no more, though it is still shown.
   */
  at(uri: string, from: number, to = from, now = Date.now()): PlacedHunk[] {
    const there = this.files.get(uri)?.hunks ?? [];
    const left = there.filter(({ hunk }) => now > this.done.until || !this.done.ids.has(hunk.id));
    return left.filter(
      ({ lines }) => lines.start <= to && from < Math.max(lines.end, lines.start + 1),
    );
  }

  /**
   * The next hunk after a line, or the one before it, in this file or the others: files are in
   * the order of their names, and after the last comes the first. Undefined if there is none.
   */
  next(from: { uri: string; line: number } | undefined, step: 1 | -1): Place | undefined {
    const places = this.places();
    if (step < 0) {
      places.reverse();
    }
    if (from === undefined) {
      return places[0];
    }
    const beyond = (place: Place): boolean => {
      if (place.uri !== from.uri) {
        return step > 0 ? place.uri > from.uri : place.uri < from.uri;
      }
      // All of a file that is decided on as a whole is at once.
      const isBeyond = step > 0 ? place.line > from.line : place.line < from.line;
      return place.hunk !== undefined && isBeyond;
    };
    return places.find(beyond) ?? places[0];
  }

  /** Which of how many a place is, counted over all files from 1. */
  position(place: Place): { number: number; of: number } {
    const places = this.places();
    const at = places.findIndex(({ uri, line, hunk }) => {
      return uri === place.uri && line === place.line && hunk?.id === place.hunk?.id;
    });
    return { number: at + 1, of: places.length };
  }

  private places(): Place[] {
    return this.all().flatMap((file): Place[] =>
      isWhole(file)
        ? [{ uri: file.uri, line: 0 }]
        : file.hunks.map(({ hunk, lines }) => ({ uri: file.uri, line: lines.start, hunk })),
    );
  }
}

/** Where a hunk is; without one it is the file as a whole. */
export interface Place {
  uri: string;
  line: number;
  hunk?: Hunk;
}

/** Whether a file is decided on as a whole: there are no lines of it that could be gone to. */
export function isWhole({ hunks, review }: FileReview): boolean {
  // The hunks of a file that is gone are in no document, but for one that was open before.
  return hunks.length === 0 || (review.file?.op === 'delete' && review.version === null);
}

export function conflictsOf(review: Review): number {
  return review.hunks.filter((hunk) => hunk.state === 'conflict').length;
}

/**
 * Lines that are put in and taken away in a file. One that was deleted under its open document has
 * no hunks: all of the document's text is gone from the disk.
 */
export function linesOf(review: Review, document = ''): { added: number; removed: number } {
  const sum = { added: 0, removed: 0 };
  const { file, hunks } = review;
  if (file?.op === 'delete' && file.opaque === undefined && hunks.length === 0) {
    sum.removed = countLines(document);
  }
  for (const hunk of hunks) {
    sum.added += countLines(hunk.text);
    sum.removed += countLines(hunk.baseText);
  }
  return sum;
}

const modes: Record<string, string> = {
  '+x': 'executable now',
  '-x': 'not executable any more',
  '+bom': 'changed: it has got a byte order mark',
  '-bom': 'changed: it has lost its byte order mark',
};

/** What a file as a whole is by a change that no line of it shows: `deleted`. */
export function wholeOf({ op, mode, state }: FileChange): string {
  const is = { create: 'new', delete: 'deleted', rename: 'renamed' }[op];
  if (state === 'proposed') {
    return 'about to be changed';
  }
  return is ?? (mode === undefined ? 'changed' : (modes[mode] ?? 'changed'));
}

export function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}
