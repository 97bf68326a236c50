/** Mentions as acp-ls reads them in a prompt: `@main.go`, `@"my notes.md"`. Pure. */
import * as path from 'node:path';

/** @param cwd what is inside of it is named from there; without one, and outside, by the whole path */
export function mentionOf(file: string, cwd: string | undefined): string {
  const relative = cwd === undefined ? file : path.relative(cwd, file);
  const inside = !relative.startsWith('..') && !path.isAbsolute(relative);
  const name = (inside ? relative : file).split(path.sep).join('/');
  return /^[\w./+~-]+$/.test(name) ? `@${name}` : `@"${name}"`;
}
