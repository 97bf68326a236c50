/**
 * Lines of hunks while their document is being changed. acp-ls tells where its hunks are for one
 * version of a document; until it has told of the newest, this moves them along. Pure.
 */

/** Lines from `start` up to but excluding `end`. */
export interface Lines {
  start: number;
  end: number;
}

interface Place {
  line: number;
  character: number;
}

/** A change of a document: what it replaces, and how many line ends it puts there. */
export interface Change {
  start: Place;
  end: Place;
  newlines: number;
}

/** A change as VS Code tells it. */
export function changeOf(change: { range: { start: Place; end: Place }; text: string }): Change {
  return { start: change.range.start, end: change.range.end, newlines: newlines(change.text) };
}

/**
 * Where lines are after a change: put in before, they go down; inside, they grow or shrink. What
 * takes the place of as many lines, as all do whose line ends are turned, leaves them.
 */
export function moved(lines: Lines, change: Change): Lines {
  const { start, end } = change;
  const grown = change.newlines - (end.line - start.line);
  const isBefore = end.line < lines.start || (end.line === lines.start && end.character === 0);
  if (isBefore) {
    return { start: lines.start + grown, end: lines.end + grown };
  }
  const isWithin = start.line <= lines.start && end.line >= lines.end - 1;
  if (start.line >= lines.end || (isWithin && grown === 0)) {
    return lines;
  }
  const first = Math.min(lines.start, start.line);
  return { start: first, end: Math.max(lines.end + grown, first) };
}

function newlines(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** How many lines a text of whole lines has. */
export function countLines(text: string): number {
  return text === '' ? 0 : newlines(text) + (/[\r\n]$/.test(text) ? 0 : 1);
}

/** The lines of a text, without their ends. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') {
    lines.pop();
  }
  return lines;
}
