/** What was rejected and can be brought back, as a list to choose from. Pure. */
import type { Commands, FileChange, Hunk, Review } from '../contract';
import { splitLines } from './lines';
import { plural } from './state';

export interface Rejected {
  label: string;
  description: string;
  /** The id of the hunk, or of the change of the file as a whole. */
  value: string;
}

type Listed = Rejected & { decided: number };

/**
 * What can be brought back in some files, the last ones first.
 * @param nameOf what a file is called
 */
export function rejectedOf(files: Review[], nameOf: (uri: string) => string): Rejected[] {
  const listed = files.flatMap(({ uri, file, hunks }) => {
    const name = nameOf(uri);
    return [
      ...(file?.state === 'rejected' ? [fileChoice(file, name, nameOf)] : []),
      ...hunks.map((hunk) => hunkChoice(hunk, name)),
    ];
  });
  return listed
    .sort((a, b) => b.decided - a.decided) // as they stand, of one decision
    .map(({ decided, ...item }) => item);
}

/**
 * What to say if the last decision has discarded a proposal: it cannot be brought back, and what was
 * rejected before must not be taken for it.
 */
export function discardedLast({
  files,
  discarded,
}: Commands['acp.review.list']['result']): string | undefined {
  const rejected = files.flatMap(({ file, hunks }) => [
    ...(file?.state === 'rejected' ? [file.decided ?? 0] : []),
    ...hunks.map(({ decided = 0 }) => decided),
  ]);
  return discarded !== undefined && rejected.every((decided) => decided < discarded.decided)
    ? discarded.message
    : undefined;
}

function fileChoice(file: FileChange, name: string, nameOf: (uri: string) => string): Listed {
  const label = describeChange(file, nameOf);
  return { label, description: name, value: file.id, decided: file.decided ?? 0 };
}

function hunkChoice(hunk: Hunk, name: string): Listed {
  const line = splitLines(hunk.text).find((text) => text.trim() !== '');
  if (hunk.deletes) {
    const label = describeChange({ id: hunk.id, op: 'delete' }, (uri) => uri);
    return { label, description: name, value: hunk.id, decided: hunk.decided ?? 0 };
  }
  return {
    label: line?.trim() ?? `remove ${plural(splitLines(hunk.baseText).length, 'line')}`,
    description: `${name}:${hunk.range.start.line + 1}`,
    value: hunk.id,
    decided: hunk.decided ?? 0,
  };
}

const modes: Record<string, string> = {
  '+x': 'make it executable',
  '-x': 'make it not executable',
  '+bom': 'add a byte order mark',
  '-bom': 'remove the byte order mark',
};

function describeChange(file: FileChange, nameOf: (uri: string) => string): string {
  if (file.opaque === 'ends') {
    return 'change its line ends';
  }
  const what = file.opaque === undefined ? 'the file' : `the file (${file.opaque})`;
  switch (file.op) {
    case 'create':
      return file.opaque === 'link' ? `link to ${file.to ?? '?'}` : `create ${what}`;
    case 'delete':
      return `delete ${what}`;
    case 'rename':
      return `rename ${what} from ${nameOf(file.from ?? '?')}`;
    default:
      if (file.mode !== undefined) {
        return modes[file.mode] ?? 'change the file';
      }
      return file.opaque === 'link' ? `link to ${file.to ?? '?'}` : `change ${what}`;
  }
}
