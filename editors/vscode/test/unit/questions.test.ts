import * as assert from 'node:assert/strict';
import type { Asked, Form } from '../../src/chat/protocol';
import type { Question } from '../../src/contract';
import { inert, notificationText, Questions, whoAsks } from '../../src/questions';

function question(id: string, message = 'run `make`'): Question {
  return {
    id,
    session: 's',
    agent: 'demo',
    message,
    toolCall: { id: 't', title: 'Run', kind: 'execute', status: 'pending' },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  };
}

suite('questions', () => {
  let now: number;
  let open: Array<Asked | Form>;
  let announced: string[];
  let hidden: boolean;
  let questions: Questions;
  setup(() => {
    now = 1000;
    open = [];
    announced = [];
    hidden = false;
    questions = new Questions(
      {
        changed: (asked, forms) => {
          open = [...asked, ...forms];
        },
        announce: ({ id }, unseen) => {
          const outside = unseen || hidden;
          announced.push(outside ? `${id} outside` : id);
          return outside;
        },
      },
      () => now,
    );
  });

  test('is answered after half a second', async () => {
    const answer = questions.ask(question('q'));
    assert.deepEqual(announced, ['q']);
    assert.equal(questions.answer('q', 'yes'), 'early');
    assert.equal(open.length, 1);
    now += inert;
    assert.equal(questions.answer('q', 'yes'), 'done');
    assert.deepEqual(await answer, { optionId: 'yes' });
    assert.deepEqual(open, []);
    assert.equal(questions.answer('q', 'yes'), 'unknown');
  });

  test('for which the chat has no room is announced outside of it, once', () => {
    void questions.ask(question('q'));
    void questions.fill({ id: 'f', session: 's', title: 'Name', questions: [] });
    questions.addEarlier([question('earlier')]);
    for (const id of ['q', 'q', 'f', 'f', 'earlier', 'none']) {
      questions.unseen(id);
    }
    assert.deepEqual(announced, ['q', 'f', 'q outside', 'f outside']);
    hidden = true;
    void questions.ask(question('r'));
    questions.unseen('r');
    assert.deepEqual(announced.slice(4), ['r outside']);
  });

  test('that was answered is announced no more', () => {
    void questions.ask(question('q'));
    now += inert;
    questions.answer('q', 'yes');
    questions.unseen('q');
    assert.deepEqual(announced, ['q']);
    void questions.ask(question('q'));
    questions.unseen('q');
    assert.deepEqual(announced, ['q', 'q', 'q outside']);
  });

  test('an option that was not offered answers nothing', () => {
    void questions.ask(question('q'));
    now += inert;
    assert.equal(questions.answer('q', 'other'), 'unknown');
    assert.equal(open.length, 1);
  });

  test('is withdrawn', async () => {
    const answer = questions.ask(question('q'));
    questions.dismiss('q');
    assert.equal(await answer, null);
    assert.deepEqual(open, []);
    questions.dismiss('q');
  });

  test('asked again, the first request is void and the second counts', async () => {
    const first = questions.ask(question('q'));
    now += inert;
    const second = questions.ask(question('q'));
    assert.equal(await first, null);
    assert.equal(questions.answer('q', 'yes'), 'early');
    now += inert;
    questions.answer('q', 'no');
    assert.deepEqual(await second, { optionId: 'no' });
  });

  test('one that was put off before is answered elsewhere', () => {
    questions.addEarlier([question('q')]);
    now += inert;
    assert.equal(questions.answer('q', 'yes'), 'elsewhere');
    assert.equal(questions.count(), 0);
  });

  test('forms', async () => {
    const answer = questions.fill({ id: 'f', session: 's', title: 'Name', questions: [] });
    assert.equal(questions.answerForm('f', { action: 'accept' }), 'early');
    now += inert;
    assert.equal(questions.answerForm('f', { action: 'accept', answers: { a: 1 } }), 'done');
    assert.deepEqual(await answer, { action: 'accept', answers: { a: 1 } });
    assert.equal(questions.answerForm('f', { action: 'accept' }), 'unknown');
  });

  test('when acp-ls ends nobody waits', async () => {
    const all = [
      questions.ask(question('q')),
      questions.fill({ id: 'f', session: 's', title: 'Name', questions: [] }),
    ];
    questions.clear();
    assert.deepEqual(await Promise.all(all), [null, { action: 'cancel' }]);
    assert.equal(questions.count(), 0);
  });

  test('which of several sessions asks is said, and not of the only one', () => {
    const info = (session: string, title: string) => ({ session, agent: 'demo', title });
    const [one, two, bare] = [
      info('1', 'Fix it'),
      info('2', `${'x'.repeat(70)}\ny`),
      info('3', ''),
    ];
    assert.equal(whoAsks('1', [one]), undefined);
    assert.equal(whoAsks('1', [one, two]), 'demo (Fix it)');
    assert.equal(whoAsks('2', [one, two]), `demo (${'x'.repeat(60)}…)`);
    assert.equal(whoAsks('3', [one, bare]), 'demo (a session without a title)');
    assert.equal(whoAsks('9', [one, two]), undefined);
  });

  test('only what can be seen whole is answered from a notification', () => {
    assert.equal(notificationText(question('q')), 'run `make`');
    assert.equal(notificationText(question('q', 'x'.repeat(300))), undefined);
    const command = question('q', 'Clean up\nrm -r build\n/w/build');
    command.toolCall.command = 'rm -r build';
    assert.equal(notificationText(command), 'Clean up: rm -r build, /w/build');
    command.toolCall.command = 'rm -r build\n/w/build';
    assert.equal(notificationText(command), undefined);
    const title = question('q', 'one\ntwo');
    title.toolCall.title = 'one\ntwo';
    assert.equal(notificationText(title), undefined);
    const edit = question('q', 'edit main.go');
    edit.toolCall.content = [{ type: 'diff', path: 'main.go', newText: 'x' }];
    assert.equal(notificationText(edit), undefined);
  });
});
