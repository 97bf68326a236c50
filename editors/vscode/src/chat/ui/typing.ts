/** What becomes of the text of the input. Offsets count UTF-16 units. Pure. */

export interface Input {
  text: string;
  caret: number;
}

/** Whether there may be proposals for what is before the caret: a mention, or a command. */
export function wantsCompletion({ text, caret }: Input): boolean {
  const before = text.slice(0, caret);
  return /(^|[\s([{,;])@("[^"\n]*|[^\s"]*)$/.test(before) || /^\s*\/[^\s/]*$/.test(before);
}

/** Takes a proposal. After a folder one may go on, after all else there is a space. */
export function take(
  text: string,
  item: { kind: string; insertText: string; start: number; end: number },
): Input {
  const rest = text.slice(item.end);
  const space = item.kind === 'folder' || /\s$/.test(item.insertText) || /^\s/.test(rest);
  const insert = item.insertText + (space ? '' : ' ');
  const over = /\s$/.test(item.insertText) && /^ /.test(rest) ? 1 : 0;
  return {
    text: text.slice(0, item.start) + insert + rest.slice(over),
    caret: item.start + insert.length,
  };
}

/** Puts a word where the caret is, with spaces around it as needed. */
export function insertWord({ text, caret }: Input, word: string): Input {
  const before = text.slice(0, caret);
  const after = text.slice(caret);
  const left = before === '' || /\s$/.test(before) ? '' : ' ';
  const right = /^\s/.test(after) ? '' : ' ';
  return {
    text: before + left + word + right + after,
    caret: caret + left.length + word.length + right.length,
  };
}
