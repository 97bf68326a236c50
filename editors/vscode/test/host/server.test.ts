import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import type { HostMessage } from '../../src/chat/protocol';
import { dataFolder } from '../../src/settingsFiles';
import {
  anew,
  begin,
  hunksAre,
  open,
  prompt,
  said,
  startSession,
  theApp,
  type,
  until,
  workspace,
} from './lib';

suite('acp-ls', () => {
  let app: App;
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(() => anew(app));

  test('every command of the manifest is there, and none but ours is called acpls', async () => {
    const manifest = vscode.extensions.getExtension('acp-ls.acp-ls')?.packageJSON;
    const declared: string[] = manifest.contributes.commands.map(
      (c: { command: string }) => c.command,
    );
    const there = new Set(await vscode.commands.getCommands(true));
    for (const command of declared) {
      assert.ok(there.has(command), command);
    }
    assert.ok(there.has('acp.review.accept'), 'the commands of the server are there');
  });

  test('a turn: said, thought and planned', async () => {
    const session = await startSession(app);
    await prompt(app, session, [
      { think: 'hm' },
      { plan: ['one', 'two'] },
      { say: 'hello ' },
      { say: 'there' },
    ]);
    assert.deepEqual(said(app, 'agent'), ['hello there']);
    assert.deepEqual(said(app, 'thought'), ['hm']);
    const plan = app.model.state().entries.find(({ kind }) => kind === 'plan')?.plan;
    assert.deepEqual(
      plan?.map(({ content }) => content),
      ['one', 'two'],
    );
  });

  test('the agent reads text that was never saved', async () => {
    const document = await open('unsaved.txt', 'on disk\n');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'not ');
    await vscode.workspace.applyEdit(edit);
    const session = await startSession(app);
    await prompt(app, session, [{ read: 'unsaved.txt' }]);
    assert.deepEqual(said(app, 'agent'), ['not on disk\n']);
  });

  test('a document without a file can be sent with a prompt', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'only here' });
    const session = await startSession(app);
    const uri = document.uri.toString();
    await app.execute('acp.prompt', { session, text: 'hi', context: [{ uri }], wait: true });
    assert.deepEqual(said(app, 'agent'), ['hi']);
    assert.deepEqual(said(app, 'error'), []);
  });

  test("the documents of VS Code's own settings are not shown to acp-ls", async () => {
    const { context } = app as unknown as { context: vscode.ExtensionContext };
    const settings = path.join(dataFolder(context.globalStorageUri.fsPath), 'Machine/acpls.json');
    await fs.mkdir(path.dirname(settings), { recursive: true });
    await fs.writeFile(settings, '{}\n');
    const at = { line: 0, character: 0 };
    const knows = async ({ uri }: vscode.TextDocument) =>
      app
        .execute('acp.mark', { uri: uri.toString(), range: { start: at, end: at } })
        .then(({ mark }) => mark !== '')
        .catch(() => false);
    try {
      const theirs = await vscode.workspace.openTextDocument(settings);
      await vscode.window.showTextDocument(theirs, { preview: false });
      await type(0, 0, ' ');
      const ours = await open('shown.txt', 'x\n');
      assert.equal(await knows(ours), true);
      assert.equal(await knows(theirs), false);
      await vscode.window.showTextDocument(theirs);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    } finally {
      await fs.rm(settings);
    }
  });

  test('settings reach the server', async () => {
    const target = vscode.ConfigurationTarget.Global;
    const settings = vscode.workspace.getConfiguration('acpls');
    await settings.update(
      'agents',
      { ...settings.get<object>('agents'), extra: { command: 'x' } },
      target,
    );
    const named = async () =>
      (await app.execute('acp.agent.list', {})).agents.some(({ name }) => name === 'extra');
    let there = false;
    for (const deadline = Date.now() + 5000; !there && Date.now() < deadline; ) {
      there = await named();
    }
    assert.ok(there);
  });

  test('an agent that dies: its session fails, with the reason', async () => {
    const session = await startSession(app);
    await app
      .execute('acp.prompt', { session, text: JSON.stringify([{ die: true }]), wait: true })
      .catch(() => undefined);
    await until('session failed', () => app.model.session(session)?.state === 'failed');
    assert.match(app.model.session(session)?.error ?? '', /dies as it was told/);
  });

  test('restart: the transcript stays to be read, and the next session works', async () => {
    await startSession(app);
    const session = app.model.currentSession()?.session ?? '';
    await prompt(app, session, [{ say: 'before' }]);
    await app.restart();
    assert.equal(app.model.serverState().state, 'running');
    assert.deepEqual(said(app, 'agent'), ['before']);
    assert.equal(app.model.currentSession()?.state, 'failed');
    const next = await startSession(app);
    await prompt(app, next, [{ say: 'after' }]);
    assert.deepEqual(said(app, 'agent'), ['after']);
  });

  const send = (text: string) =>
    app.chat.receive({ type: 'send', request: 1, text, attachments: [], when: 'queue' });

  test('restart: the next prompt takes the conversation up again, where the agent has kept it', async () => {
    await app.chat.start('keeper');
    send('first');
    await until('is answered', () => said(app, 'agent').join() === 'first');
    const before = app.model.currentSession();
    await app.restart();
    send('second');
    await until('goes on', () => said(app, 'agent').join() === 'first,second');
    assert.deepEqual(said(app, 'user'), ['first', 'second']);
    assert.deepEqual(said(app, 'notice'), []);
    assert.equal(app.model.currentSession()?.sessionId, before?.sessionId);
    assert.equal(app.last.get()?.sessionId, before?.sessionId);
  });

  test('restart: else the next prompt begins a new session, which says so', async () => {
    await startSession(app);
    send('first');
    await until('is answered', () => said(app, 'agent').join() === 'first');
    await app.restart();
    send('second');
    await until('is answered', () => said(app, 'agent').join() === 'second');
    assert.match(said(app, 'notice').join(), /script does not know what was said before/);
  });

  test('a conversation that its agent cannot load: the window after it says so', async () => {
    await startSession(app);
    send('first');
    await until('is answered', () => said(app, 'agent').join() === 'first');
    const last = app.last.get();
    assert.deepEqual([last?.agent, last?.title, last?.gone], ['script', 'first', true]);
    // As it is when the window is loaded anew.
    app.model.show(null);
    app.model.setBefore(last);
    assert.equal(app.model.state().before?.gone, true);
    send('second');
    await until('is answered', () => said(app, 'agent').join() === 'second');
    assert.match(said(app, 'notice').join(), /This is a new session: script does not keep/);
    send('third');
    await until('is answered', () => said(app, 'agent').join() === 'second,third');
    assert.equal(said(app, 'notice').length, 1);
    app.model.setBefore(undefined);
  });

  test('a conversation that is stopped while it is resumed: nothing is started in its place', async () => {
    const hold = path.join(process.env.ACPLS_TEST_KEPT ?? '', 'hold');
    await app.chat.start('keeper');
    send('first');
    await until('is answered', () => said(app, 'agent').join() === 'first');
    await app.restart();
    const answered: string[] = [];
    const chat = app.chat as unknown as {
      view: { post(of: HostMessage): void };
      sending: Promise<void>;
    };
    const { view } = chat;
    view.post = (message) => {
      if (message.type === 'sent') {
        answered.push(message.error ?? '');
      }
    };
    await fs.writeFile(hold, '');
    try {
      send('second');
      await until('is resumed', () =>
        app.model.sessions().some(({ agent, state }) => agent === 'keeper' && state === 'starting'),
      );
      send('third');
      await vscode.commands.executeCommand('acpls.stop');
      await chat.sending;
    } finally {
      delete (view as { post?: unknown }).post; // that of its class is there again
      await fs.rm(hold);
    }
    assert.equal(answered.length, 2);
    for (const error of answered) {
      assert.match(error, /you stopped keeper before it was ready/);
    }
    const { state, error } = app.model.currentSession() ?? {};
    assert.equal(state, 'failed');
    assert.match(error ?? '', /you stopped keeper/);
    assert.ok(app.model.sessions().every((one) => one.state === 'failed'));
    send('fourth');
    await until('goes on', () => said(app, 'agent').join() === 'first,fourth');
  });

  test('an earlier session is opened in its folder', async () => {
    const folder = path.join(workspace, 'below');
    await fs.mkdir(folder, { recursive: true });
    const { session } = await app.execute('acp.session.new', { agent: 'keeper', cwd: folder });
    await app.execute('acp.prompt', { session, text: 'below', wait: true });
    await app.execute('acp.session.close', { session });
    await app.restart();
    await app.chat.start('keeper'); // one that runs is asked for what it has kept
    const { showQuickPick } = vscode.window;
    let description: string | undefined;
    Object.assign(vscode.window, {
      showQuickPick: async (items: vscode.QuickPickItem[]) => {
        const found = items.find(({ label }) => label === `kept in ${folder}`);
        description = found?.description;
        return found;
      },
    });
    try {
      await vscode.commands.executeCommand('acpls.sessions');
    } finally {
      Object.assign(vscode.window, { showQuickPick });
    }
    await until('is shown', () => said(app, 'agent').join() === 'below');
    assert.equal(app.model.currentSession()?.cwd, folder);
    assert.ok(description?.includes(folder), description);
  });

  test('restarts that overlap: one acp-ls runs in the end', async () => {
    const pid = app.pid;
    const all = [app.restart(), app.restart()];
    await until('the first is under way', () => !app.running);
    all.push(app.restart(), app.start(), app.restart());
    await Promise.all(all);
    assert.equal(app.running, true);
    assert.equal(app.model.serverState().state, 'running');
    assert.notEqual(app.pid, pid);
    // Its children: this process starts nothing else by that name.
    const list = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', `${process.pid}`], {
      encoding: 'utf8',
    });
    const running = list.split('\n').filter((line) => /acp-ls serve|\/acp-ls( |$)/.test(line));
    assert.deepEqual(
      running.map((line) => Number.parseInt(line, 10)),
      [app.pid],
      list,
    );
    const session = await startSession(app);
    await prompt(app, session, [{ say: 'here' }]);
    assert.deepEqual(said(app, 'agent'), ['here']);
  });

  test('a conversation that is closed is not offered again', async () => {
    await app.chat.start('keeper');
    send('first');
    await until('is remembered', () => app.last.get()?.title === 'first');
    await vscode.commands.executeCommand('acpls.closeSession');
    assert.equal(app.last.get(), undefined);
    await app.restart();
    send('second');
    await until('is answered', () => said(app, 'agent').join() === 'second');
    assert.deepEqual(said(app, 'notice'), []);
  });

  test('acp-ls dies: it is started again, with the documents that are open', async () => {
    const document = await open('again.txt', 'x\n');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'unsaved ');
    await vscode.workspace.applyEdit(edit);
    const pid = app.pid;
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until('another runs', () => app.running && app.pid !== pid && app.pid);
    const session = await startSession(app);
    await prompt(app, session, [{ read: 'again.txt' }]);
    assert.deepEqual(said(app, 'agent'), ['unsaved x\n']);
  });

  test("what is saved while acp-ls does not run, as it has ended in a turn, is the user's", async () => {
    const document = await open('meanwhile.txt', 'a\nb\nc\nd\ne\n');
    const other = await open('too.txt', 'a\n');
    await vscode.window.showTextDocument(document);
    await type(0, 0, 'mine\n');
    const session = await startSession(app);
    await begin(app, session, [
      { read: 'meanwhile.txt' },
      { write: 'meanwhile.txt', text: 'mine\na\nb\nc\nd\nE\n' },
      { hold: true },
    ]);
    await hunksAre(app, document, 'pending 5-6');
    await app.stop();
    await type(2, 0, 'mine too\n');
    assert.ok(await document.save());
    await vscode.window.showTextDocument(other);
    await type(0, 0, 'mine\n');
    assert.ok(await other.save());
    await app.start();
    await hunksAre(app, document, 'pending 6-7');
    await app.execute('acp.review.reject', {});
    await hunksAre(app, document);
    assert.equal(document.getText(), 'mine\na\nmine too\nb\nc\nd\ne\n');
    assert.equal(other.getText(), 'mine\na\n');
  });
});
