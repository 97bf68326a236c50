import * as assert from 'node:assert/strict';
import type { Origin } from '../../src/contract';
import { type FileReview, ReviewState } from '../../src/review/state';
import { turnsOf } from '../../src/review/turns';

const origin = (session: string, turn: string, title = ''): Origin => ({
  session,
  turn,
  title,
  agent: 'demo',
  toolCall: '',
  author: 'agent',
  sure: true,
});

/** A file of which each hunk has these origins. */
function fileOf(...hunks: Origin[][]): FileReview {
  const state = new ReviewState();
  const at = { line: 0, character: 0 };
  state.update({
    uri: 'a',
    seq: 1,
    rev: '1',
    version: 1,
    hunks: hunks.map((origins, n) => ({
      id: `h${n}`,
      state: 'pending',
      origins,
      range: { start: at, end: at },
      baseText: '',
      text: 'x\n',
      mixed: false,
    })),
  });
  const file = state.file('a');
  assert.ok(file);
  return file;
}

const prompts = [
  { session: 's', turn: '1', text: 'first\nof two lines' },
  { session: 's', turn: '2', text: 'second' },
];

suite('turns to decide on', () => {
  const offered = (files: FileReview[]) =>
    turnsOf(files, prompts).map(({ label, description, value }) => [
      label,
      description,
      `${value.session}/${value.turn}`,
    ]);

  test('those that have left changes, and how many, in the words of their prompts', () => {
    assert.deepEqual(offered([fileOf([origin('s', '1')], [origin('s', '1')])]), [
      ['first', '2 changes', 's/1'],
    ]);
    assert.deepEqual(offered([fileOf([origin('s', '1'), origin('s', '1'), origin('s', '2')])]), [
      ['second', '1 change', 's/2'],
      ['first', '1 change', 's/1'],
    ]);
  });

  test('those of other sessions, in the words of their tool calls', () => {
    const file = fileOf([origin('t', '1', 'Edit a')], [origin('t', '2')], [origin('t', '')]);
    assert.deepEqual(offered([file]), [
      ['demo: Edit a', '1 change', 't/1'],
      ['demo', '1 change', 't/2'],
    ]);
  });

  test('where a file as a whole is to be decided on, it may be of any', () => {
    const file = fileOf([origin('s', '2')]);
    file.review.file = { id: 'f', op: 'create' };
    assert.deepEqual(offered([file]), [
      ['second', '1 change', 's/2'],
      ['first', '', 's/1'],
    ]);
    assert.deepEqual(offered([]), []);
  });
});
