import * as assert from 'node:assert/strict';
import type { FileChange, Hunk, Review } from '../../src/contract';
import { rejectedOf } from '../../src/review/rejected';

const hunk = (
  id: string,
  line: number,
  baseText: string,
  text: string,
  decided?: number,
): Hunk => ({
  id,
  state: 'rejected',
  origins: [],
  range: { start: { line, character: 0 }, end: { line, character: 0 } },
  baseText,
  text,
  mixed: false,
  ...(decided !== undefined && { decided }),
});

const review = (uri: string, file: FileChange | undefined, ...hunks: Hunk[]): Review => ({
  uri,
  rev: '1',
  seq: 1,
  version: null,
  hunks,
  ...(file && { file }),
});

suite('what was rejected', () => {
  const nameOf = (uri: string): string => uri.toUpperCase();

  test('hunks and changes of files as a whole, the last ones first', () => {
    const files = [
      review('a', undefined, hunk('1', 2, 'x\n', '\n  y\n', 5), hunk('2', 9, 'x\ny\n', '', 7)),
      review('b', { id: '3', op: 'delete', state: 'rejected', decided: 6 }),
      review('c', { id: 'no', op: 'create' }, hunk('4', 0, '', 'z\n')), // which is to be decided on
      review('d', undefined, hunk('5', 0, '', 'z\n', 7)),
    ];
    assert.deepEqual(rejectedOf(files, nameOf), [
      { label: 'remove 2 lines', description: 'A:10', value: '2' },
      { label: 'z', description: 'D:1', value: '5' },
      { label: 'delete the file', description: 'B', value: '3' },
      { label: 'y', description: 'A:3', value: '1' },
      { label: 'z', description: 'C:1', value: '4' }, // which git has taken away
    ]);
  });

  test('a deletion is called the same, of an open file and of another', () => {
    const file: FileChange = { id: '1', op: 'delete', state: 'rejected' };
    const rows: Hunk = { ...hunk('2', 0, 'x\ny\n', ''), deletes: true };
    const labels = rejectedOf([review('a', file), review('b', undefined, rows)], nameOf);
    assert.deepEqual(labels, [
      { label: 'delete the file', description: 'A', value: '1' },
      { label: 'delete the file', description: 'B', value: '2' },
    ]);
  });

  const wholes: Array<[Partial<FileChange>, string]> = [
    [{ op: 'create' }, 'create the file'],
    [{ op: 'create', opaque: 'binary' }, 'create the file (binary)'],
    [{ op: 'create', opaque: 'link', to: 'x' }, 'link to x'],
    [{ op: 'rename', from: 'x' }, 'rename the file from X'],
    [{ op: 'modify', mode: '+x' }, 'make it executable'],
    [{ op: 'modify', mode: '-x' }, 'make it not executable'],
    [{ op: 'modify', mode: '+bom' }, 'add a byte order mark'],
    [{ op: 'modify', opaque: 'ends' }, 'change its line ends'],
    [{ op: 'modify', mode: '-bom' }, 'remove the byte order mark'],
    [{ op: 'modify', opaque: 'large' }, 'change the file (large)'],
    [{ op: 'modify', opaque: 'link', to: 'y' }, 'link to y'],
    [{ op: 'delete', opaque: 'binary' }, 'delete the file (binary)'],
  ];
  for (const [file, label] of wholes) {
    test(label, () => {
      const change = { id: '1', op: 'modify', ...file, state: 'rejected' };
      assert.deepEqual(rejectedOf([review('a', change)], nameOf), [
        { label, description: 'A', value: '1' },
      ]);
    });
  }
});
