import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import type { Attachment, HostMessage, PageMessage } from '../../src/chat/protocol';
import {
  anew,
  begin,
  hunksAre,
  open,
  prompt,
  read,
  said,
  startSession,
  theApp,
  type,
  until,
  write,
} from './lib';

suite('what the chat asks for', () => {
  let app: App;
  let session: string;
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    await anew(app);
    session = await startSession(app);
  });

  const say = (message: PageMessage) => app.chat.receive(message);
  const send = (text: string, when: 'queue' | 'now' = 'queue', attachments: Attachment[] = []) =>
    say({ type: 'send', request: 1, text, when, attachments });
  const state = () => app.model.session(session)?.state;
  const idle = () => until('is idle', () => state() === 'idle');
  const agent = () => said(app, 'agent').join('|');

  test('the agents there are, and which is the default one', async () => {
    const agents = await until('they are known', () => {
      const { agents } = app.model.state();
      return agents.length > 0 && agents;
    });
    assert.deepEqual(
      agents.filter((agent) => agent.default).map(({ name }) => name),
      ['script'],
    );
  });

  test('a prompt is sent and answered', async () => {
    send('hello');
    await until('is answered', () => agent() === 'hello');
    assert.deepEqual(said(app, 'user'), ['hello']);
  });

  test('a prompt without a session starts one', async () => {
    await app.restart();
    send('first');
    await until('is answered', () => agent() === 'first');
    assert.ok(app.model.isAlive(app.model.currentSession()?.session ?? ''));
  });

  test('prompts sent at once, while acp-ls and the agent start, run in their order', async () => {
    await app.restart();
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const text of texts) {
      send(text);
    }
    await until('are answered', () => said(app, 'agent').length === texts.length);
    assert.deepEqual(said(app, 'user'), texts);
    assert.equal(app.model.sessions().filter((s) => app.model.isAlive(s.session)).length, 1);
  });

  test('while a turn runs prompts wait, can be changed and taken back; stop ends it', async () => {
    send(JSON.stringify([{ hold: true }]));
    await until('runs', () => state() === 'running');
    send('second');
    send('third');
    const queue = () => app.model.session(session)?.queue ?? [];
    await until('wait', () => queue().length === 2);
    say({ type: 'editQueued', id: queue()[0]?.id ?? '', text: 'SECOND' });
    await until('is changed', () => queue()[0]?.text === 'SECOND');
    say({ type: 'removeQueued', id: queue()[1]?.id ?? '' });
    await until('is taken back', () => queue().length === 1);
    say({ type: 'stop' });
    await until('goes on with what waits', () => agent() === 'SECOND');
    await idle();
  });

  test('now goes before what runs', async () => {
    send(JSON.stringify([{ hold: true }]));
    await until('runs', () => state() === 'running');
    send('urgent', 'now');
    await until('is answered', () => agent() === 'urgent');
  });

  test('several sessions: each keeps its transcript', async () => {
    send('in the first');
    await until('is answered', () => agent() === 'in the first');
    const first = session;
    session = await startSession(app);
    assert.equal(agent(), '');
    say({ type: 'select', session: first });
    await until('is shown', () => agent() === 'in the first');
  });

  test('files are opened at their lines, by path, URI and link', async () => {
    const file = await write('lines.txt', 'one\ntwo\nthree\n');
    const at = () => {
      const editor = vscode.window.activeTextEditor;
      return `${editor?.document.uri.path.split('/').at(-1)}:${editor?.selection.active.line}`;
    };
    say({ type: 'open', path: file, line: 3 });
    await until('by path', () => at() === 'lines.txt:2');
    say({ type: 'open', uri: vscode.Uri.file(file).toString() });
    await until('by URI', () => at() === 'lines.txt:0');
    say({ type: 'link', href: 'lines.txt#L2' });
    await until('by link', () => at() === 'lines.txt:1');
    say({ type: 'link', href: `${file}:3` });
    await until('by path and line', () => at() === 'lines.txt:2');
    say({ type: 'link', href: `${vscode.Uri.file(file)}#L2-L3` });
    await until('by URI and lines', () => at() === 'lines.txt:1');
  });

  test('side by side shows what is asked, whichever session is shown', async () => {
    await write('asked.txt', 'old\n');
    const edit = (text: string) => ({ ask: 'Edit asked.txt', edit: 'asked.txt', text });
    const ids = [];
    for (const text of ['first\n', 'second\n']) {
      session = await startSession(app);
      await begin(app, session, [edit(text)]);
      const asked = await until('is asked', () =>
        app.model.openQuestions().find((one) => one.session === session),
      );
      ids.push(asked.id);
    }
    for (const [at, text] of ['first\n', 'second\n'].entries()) {
      say({ type: 'diff', of: { question: ids[at] ?? '' }, content: 0 });
      await until(`shows ${text}`, () => {
        const { activeTab } = vscode.window.tabGroups.activeTabGroup;
        const modified =
          activeTab?.input instanceof vscode.TabInputTextDiff && activeTab.input.modified;
        return vscode.workspace.textDocuments.some(
          (one) => one.uri.toString() === modified?.toString() && one.getText() === text,
        );
      });
    }
  });

  test('a file is decided on, and a turn, and it is undone', async () => {
    const document = await open('decide.txt', 'one\n');
    const uri = document.uri.toString();
    await prompt(app, session, [{ write: 'decide.txt', text: 'two\n' }]);
    await hunksAre(app, document, 'pending 0-1');
    say({ type: 'decide', what: 'reject', uri });
    await until('is rejected', () => document.getText() === 'one\n');

    const turn = await prompt(app, session, [{ write: 'decide.txt', text: 'three\n' }]);
    await hunksAre(app, document, 'pending 0-1');
    say({ type: 'decide', what: 'accept', turn });
    await hunksAre(app, document);
    say({ type: 'undo', turn });
    await until('is undone', () => document.getText() === 'one\n');
  });

  test('a place is sent with a prompt', async () => {
    const document = await open('place.txt', 'one\ntwo\n');
    send('look', 'queue', [{ uri: document.uri.toString(), label: 'place.txt' }]);
    await until('is answered', () => agent() === 'look');
    assert.deepEqual(said(app, 'error'), []);
  });

  /** What *Add Selection to Chat* tells the page. */
  const added = async (): Promise<HostMessage> => {
    const { view } = app.chat as unknown as { view: { postWhenReady(of: HostMessage): void } };
    const told: HostMessage[] = [];
    view.postWhenReady = (message) => void told.push(message);
    try {
      await vscode.commands.executeCommand('acpls.addSelection');
    } finally {
      delete (view as { postWhenReady?: unknown }).postWhenReady; // that of its class is there again
    }
    const message = told.find((one) => one.type !== 'focus'); // the input gets the focus
    assert.ok(message);
    return message;
  };

  test('a selection is its text, and not what has its lines when it is sent', async () => {
    const document = await open('picked.txt', 'one\ntwo\nthree\nfour\n');
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    for (const [selection, label] of [
      [new vscode.Selection(1, 1, 3, 0), 'picked.txt:2-3'],
      [new vscode.Selection(2, 2, 2, 1), 'picked.txt:3'],
    ] as const) {
      editor.selection = selection;
      const told = await added();
      assert.equal(told.type === 'attach' && told.attachment.label, label);
    }
    editor.selection = new vscode.Selection(1, 1, 3, 0);
    const told = await added();
    assert.ok(told.type === 'attach');
    await vscode.window.showTextDocument(document);
    await type(0, 0, 'a\nb\nc\nd\n');
    send(JSON.stringify([{ prompt: true }]), 'queue', [told.attachment]);
    await until('is answered', () => agent() !== '');
    assert.match(agent(), /lines 6-7:\\+n```\w*\\+ntwo\\+nthree\\+n```/);
  });

  test('the commands of the agent are proposed after a slash', async () => {
    await prompt(app, session, [{ commands: ['sum', 'sort', 'help'] }]);
    await until('they are known', () => app.model.session(session)?.commands.length === 3);
    const { view } = app.chat as unknown as { view: { post(of: HostMessage): void } };
    const answer = new Promise<HostMessage>((resolve) => {
      view.post = (message) => message.type === 'completions' && resolve(message);
    });
    try {
      say({ type: 'complete', request: 7, text: '/s', offset: 2 });
      const told = await answer;
      assert.ok(told.type === 'completions');
      assert.equal(told.request, 7);
      assert.deepEqual(told.items.map(({ label }) => label).sort(), ['/sort', '/sum']);
      assert.deepEqual([told.items[0]?.start, told.items[0]?.end], [0, 2]);
    } finally {
      delete (view as { post?: unknown }).post; // that of its class is there again
    }
  });

  test('a file without a selection is mentioned', async () => {
    await open('whole.txt', 'one\n');
    assert.deepEqual(await added(), { type: 'insert', text: '@whole.txt' });
  });

  test('what cannot be done is said, and ends nothing', async () => {
    say({ type: 'open', path: '/no/such/file' });
    say({ type: 'setOption', option: 'none', value: 1 });
    say({ type: 'diff', of: { session: 'none', entry: 'none' }, content: 0 });
    say({ type: 'answer', question: 'none', option: 'yes' });
    send('still here');
    await until('is answered', () => agent() === 'still here');
    assert.equal(await read('place.txt'), 'one\ntwo\n');
  });
});
