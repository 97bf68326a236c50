/** Output of programs as plain text. Pure. */

/** Escape sequences: those of systems (titles, links), of control (colours), and short ones. */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:?<=>!]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** Without escape sequences; what follows a carriage return replaces what was on its line. */
export function plain(output: string): string {
  return output
    .replace(escapes, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (/([^\r]*)\r*$/.exec(line)?.[1] ?? '').replace(controls, ''))
    .join('\n')
    .replace(/\n$/, '');
}

/** The last lines of a text, and how many there are before them. */
export function tail(text: string, lines: number): { text: string; before: number } {
  const all = text.split('\n');
  return all.length <= lines
    ? { text, before: 0 }
    : { text: all.slice(-lines).join('\n'), before: all.length - lines };
}
