/** Mentions as acp-ls reads them in a prompt: `@main.go#L3-L9`, `@"my notes.md"`. Pure. */
import * as path from 'node:path';

/** @param cwd the session's folder; what is inside is named from there. */
export function mentionOf(
  file: string,
  cwd: string | undefined,
  lines?: { first: number; last: number },
): string {
  const relative = cwd === undefined ? file : path.relative(cwd, file);
  const inside = !relative.startsWith('..') && !path.isAbsolute(relative);
  const name = (inside ? relative : file).split(path.sep).join('/');
  const where =
    lines === undefined
      ? ''
      : lines.last > lines.first
        ? `#L${lines.first}-L${lines.last}`
        : `#L${lines.first}`;
  return /^[\w./+~-]+$/.test(name) ? `@${name}${where}` : `@"${name}"${where}`;
}
