import * as assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { inFront, openPlace } from '../../src/review/changes';
import { rejectedOf } from '../../src/review/rejected';
import {
  anew,
  fileOf,
  hunks,
  hunksAre,
  open,
  prompt,
  read,
  theApp,
  type,
  until,
  write,
} from './lib';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

suite('review', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const changed = async (name: string): Promise<vscode.TextDocument> => {
    const document = await open(name, before);
    await prompt(app, session, [{ write: name, text: after }]);
    await hunksAre(app, document, 'pending 0-1', 'pending 6-7');
    return document;
  };

  test('code lenses and code actions decide', async () => {
    const document = await changed('lens.txt');
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      10,
    );
    const accept = lenses.find((l) => l.range.start.line === 0 && l.command?.title === 'Accept');
    assert.ok(accept?.command, JSON.stringify(lenses));
    await vscode.commands.executeCommand(
      accept.command.command,
      ...(accept.command.arguments ?? []),
    );
    await hunksAre(app, document, 'pending 6-7');
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      new vscode.Range(6, 0, 6, 0),
    );
    const reject = actions.find(({ title }) => title === 'Reject hunk');
    assert.ok(reject?.command, JSON.stringify(actions));
    await vscode.commands.executeCommand(
      reject.command.command,
      ...(reject.command.arguments ?? []),
    );
    await hunksAre(app, document);
    assert.equal(document.getText(), after.replace('SEVEN', 'seven'));
  });

  test('VS Code keeps nothing of a code action, and so can run it when it has let go of it', async () => {
    const document = await changed('let go.txt');
    type Shown = Array<{ title: string; command: { id: string; arguments?: unknown[] } }>;
    const shown = await vscode.commands.executeCommand<Shown>(
      '_executeCodeActionProvider', // as the light bulb has it
      document.uri,
      new vscode.Selection(0, 0, 0, 0),
    );
    const reject = shown.find(({ title }) => title === 'Reject hunk');
    assert.ok(reject, JSON.stringify(shown));
    assert.deepEqual(reject.command.arguments ?? [], []); // or it would be that in what VS Code keeps
    await vscode.commands.executeCommand(reject.command.id);
    await hunksAre(app, document, 'pending 6-7');
  });

  test('what was there before is shown of the hunk at the cursor, which stays there', async () => {
    const document = await open('peek.txt', before);
    await prompt(app, session, [{ write: 'peek.txt', text: 'one\ntwo\nfour\nfive\nsix\nSEVEN\n' }]);
    await hunksAre(app, document, 'pending 2-2', 'pending 5-6');
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(2, 0, 2, 0);
    await vscode.commands.executeCommand('acpls.peekHunk');
    assert.equal(vscode.window.activeTextEditor?.document, document);
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 2);
    await vscode.commands.executeCommand('closeQuickDiff');
    await vscode.commands.executeCommand('acpls.rejectHunk');
    await hunksAre(app, document, 'pending 6-7');
    assert.equal(document.getText(), before.replace('seven', 'SEVEN'));
  });

  test('accept and reject at the cursor', async () => {
    const document = await changed('cursor.txt');
    await type(3, 0, 'my ');
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand('acpls.rejectHunk');
    await hunksAre(app, document, 'pending 6-7');
    editor.selection = new vscode.Selection(6, 2, 6, 2);
    await vscode.commands.executeCommand('acpls.acceptHunk');
    await hunksAre(app, document);
    assert.equal(document.getText(), 'one\ntwo\nthree\nmy four\nfive\nsix\nSEVEN\n');
  });

  test('a key decides where the cursor was as it was pressed', async () => {
    const key = (command: 'accept' | 'reject') =>
      vscode.commands.executeCommand(`acpls.${command}Hunk`);
    const gone = after.replace('ONE', 'one');
    interface Haste {
      /** What is done in the same breath, from the first of two hunks. */
      act(editor: vscode.TextEditor): Thenable<unknown>;
      text: string;
      left: string[];
    }
    const to = (editor: vscode.TextEditor, line: number): void => {
      editor.selection = new vscode.Selection(line, 0, line, 0);
    };
    const cases: Record<string, Haste> = {
      'goes to the other hunk': {
        act: (editor) => {
          const done = key('reject');
          to(editor, 6);
          return done;
        },
        text: gone,
        left: ['pending 6-7'],
      },
      'goes to the other hunk, which is decided on too': {
        act: (editor) => {
          const first = key('reject');
          to(editor, 6);
          const second = key('accept');
          to(editor, 3);
          return Promise.all([first, second]);
        },
        text: gone,
        left: [],
      },
      'goes to where rows are put in at once': {
        act: async (editor) => {
          to(editor, 6);
          const first = key('accept'); // which the next key waits for
          to(editor, 0);
          const second = key('reject');
          to(editor, 3);
          const typed = editor.edit((b) => b.insert(new vscode.Position(0, 0), 'mine\n'));
          await Promise.all([first, second, typed]);
        },
        text: `mine\n${gone}`,
        left: [],
      },
      'goes to another file': {
        act: async () => {
          const done = key('reject');
          await Promise.all([done, open('haste elsewhere.txt', 'x\n')]);
        },
        text: gone,
        left: ['pending 6-7'],
      },
    };
    for (const [name, { act, text, left }] of Object.entries(cases)) {
      const document = await changed(`haste ${name}.txt`);
      const editor = await vscode.window.showTextDocument(document);
      to(editor, 0);
      await act(editor);
      await hunksAre(app, document, ...left);
      assert.equal(document.getText(), text, name);
    }
  });

  test('undo brings a rejected hunk back as undecided, redo takes it away', async () => {
    const document = await changed('undo.txt');
    await vscode.commands.executeCommand('acpls.rejectFile', document.uri);
    await hunksAre(app, document);
    assert.equal(document.getText(), before);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    await until('text is back', () => document.getText() !== before);
    await until('hunks are back', () => hunks(app, document).length > 0);
    while (document.getText() !== before) {
      await vscode.commands.executeCommand('redo');
    }
    await hunksAre(app, document);
  });

  test('a decision is undone by restore', async () => {
    const document = await changed('restore.txt');
    await vscode.commands.executeCommand('acpls.rejectAll');
    await hunksAre(app, document);
    const { files } = await app.execute('acp.review.list', {
      state: 'rejected',
      uri: document.uri.toString(),
    });
    await app.perform('acp.review.restore', {
      hunks: files.flatMap((f) => f.hunks.map(({ id }) => id)),
    });
    await hunksAre(app, document, 'pending 0-1', 'pending 6-7');
    assert.equal(document.getText(), after);
  });

  test('a turn is undone, also what was accepted', async () => {
    const document = await open('turn.txt', before);
    const turn = await prompt(app, session, [{ write: 'turn.txt', text: after }]);
    await hunksAre(app, document, 'pending 0-1', 'pending 6-7');
    await vscode.commands.executeCommand('acpls.acceptAll');
    await hunksAre(app, document);
    await app.perform('acp.review.undo', { session, turn });
    assert.equal(document.getText(), before);
  });

  test('next and previous go through all files, round and round', async () => {
    const b = await changed('next-b.txt');
    const a = await changed('next-a.txt');
    const at = () => {
      const editor = vscode.window.activeTextEditor;
      return `${editor?.document.uri.path.split('/').at(-1)}:${editor?.selection.active.line}`;
    };
    await vscode.window.showTextDocument(a, { selection: new vscode.Range(0, 0, 0, 0) });
    const seen = [];
    for (let i = 0; i < 4; i++) {
      await vscode.commands.executeCommand('acpls.nextHunk');
      seen.push(at());
    }
    assert.deepEqual(seen, ['next-a.txt:6', 'next-b.txt:0', 'next-b.txt:6', 'next-a.txt:0']);
    await vscode.commands.executeCommand('acpls.previousHunk');
    assert.equal(at(), 'next-b.txt:6');
    assert.ok(b);
  });

  /** Changes five files, of which two are gone and two are no text: none but the last is open. */
  const changeAll = async (walk: string) => {
    const file = (name: string) => vscode.Uri.file(fileOf(name));
    const bytes = { encoding: 'base64', text: 'AAECAwQFBgc=' };
    await write(`${walk}-a.txt`, before);
    await write(`${walk}-b.txt`, before);
    await write(`${walk}-c.txt`, before);
    await fs.writeFile(fileOf(`${walk}-d.bin`), Buffer.from([0, 255, 1, 0, 3]));
    await fs.writeFile(fileOf(`${walk}-e.bin`), Buffer.from([0, 255, 1, 0, 3]));
    await prompt(app, session, [
      { read: `${walk}-b.txt` },
      { disk: `${walk}-a.txt`, text: before.replace('one', 'ONE') },
      { remove: `${walk}-b.txt` },
      { disk: `${walk}-c.txt`, text: before.replace('one', 'ONE') },
      { disk: `${walk}-d.bin`, ...bytes },
      { remove: `${walk}-e.bin` },
    ]);
    const names = [
      `${walk}-a.txt`,
      `${walk}-b.txt`,
      `${walk}-c.txt`,
      `${walk}-d.bin`,
      `${walk}-e.bin`,
    ];
    await until('all are listed', () =>
      names.every((name) => app.review.file(file(name).toString()) !== undefined),
    );
    return file;
  };

  /** Notes what is said in notifications while something is done. */
  const saidIn = async (act: () => Promise<unknown>): Promise<string[]> => {
    const said: string[] = [];
    const { showInformationMessage } = vscode.window;
    const says = async (text: string) => void said.push(text);
    Object.assign(vscode.window, { showInformationMessage: says });
    try {
      await act();
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    return said;
  };

  const frontName = () => inFront(app.review)?.uri.split('/').at(-1);

  test('next and previous go through files that are gone, or no text, too', async () => {
    await changeAll('walk');
    const said = await saidIn(async () => {
      const seen = [];
      for (let i = 0; i < 6; i++) {
        await vscode.commands.executeCommand('acpls.nextHunk');
        seen.push(frontName());
      }
      // The last is not there to be seen, and is said.
      const all = ['walk-a.txt', 'walk-b.txt', 'walk-c.txt', 'walk-d.bin', 'walk-d.bin'];
      assert.deepEqual(seen, [...all, 'walk-a.txt']);
      const back = [];
      for (let i = 0; i < 5; i++) {
        await vscode.commands.executeCommand('acpls.previousHunk');
        back.push(frontName());
      }
      assert.deepEqual(back, [
        'walk-a.txt',
        'walk-d.bin',
        'walk-c.txt',
        'walk-b.txt',
        'walk-a.txt',
      ]);
    });
    assert.equal(said.length, 2);
    assert.match(said[0] ?? '', /walk-e\.bin is deleted/);
  });

  test('the keys that decide do so on a file that is gone, where it is shown', async () => {
    const file = await changeAll('keys');
    const { uri } = await vscode.workspace.openTextDocument(file('keys-a.txt'));
    await vscode.window.showTextDocument(uri);
    await vscode.commands.executeCommand('acpls.nextHunk');
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'acp-base');
    await vscode.commands.executeCommand('acpls.rejectHunk');
    await until('is decided', () => !app.review.file(file('keys-b.txt').toString()));
    assert.equal(await read('keys-b.txt'), before);
    assert.equal(app.review.counts().files, 4);
  });

  test('the keys that decide do so on a file that is no text, where it is shown', async () => {
    const file = await changeAll('bytes');
    const bin = file('bytes-d.bin');
    for (const command of ['acpls.rejectHunk', 'acpls.acceptHunk']) {
      await vscode.commands.executeCommand('vscode.open', bin);
      await until('is in front', () => frontName() === 'bytes-d.bin');
      assert.equal(vscode.window.activeTextEditor, undefined);
      await vscode.commands.executeCommand(command);
      await until('is decided', () => app.review.file(bin.toString()) === undefined);
      assert.equal(app.review.counts().files, 4);
      const now = command === 'acpls.rejectHunk' ? [0, 255, 1, 0, 3] : [9, 0, 9];
      assert.deepEqual([...(await fs.readFile(bin.fsPath))], now);
      if (command === 'acpls.rejectHunk') {
        const text = Buffer.from([9, 0, 9]).toString('base64');
        await prompt(app, session, [{ disk: 'bytes-d.bin', text, encoding: 'base64' }]);
        await until('is listed again', () => app.review.file(bin.toString()));
      }
    }
  });

  for (const state of ['saved', 'unsaved']) {
    test(`a file that is deleted under its document (${state}): there is nothing now`, async () => {
      const name = `nothing-${state}.txt`;
      const document = await open(name, before);
      if (state === 'unsaved') {
        await type(0, 0, 'mine ');
      }
      const text = document.getText();
      await prompt(app, session, [{ remove: name }]);
      const file = () => app.review.file(document.uri.toString());
      await until('is listed', () => file()?.review.file?.op === 'delete');
      await vscode.commands.executeCommand('acpls.openDiff', document.uri);
      const tab = await until('is shown', () => {
        const { activeTab } = vscode.window.tabGroups.activeTabGroup;
        return activeTab?.input instanceof vscode.TabInputTextDiff && activeTab;
      });
      const { original, modified } = tab.input as vscode.TabInputTextDiff;
      const textOf = async (uri: vscode.Uri) =>
        (await vscode.workspace.openTextDocument(uri)).getText();
      assert.deepEqual([await textOf(original), await textOf(modified)], [text, '']);
      assert.match(tab.label, /before agents ↔ deleted/);
      assert.equal(/unsaved text is kept/.test(tab.label), state === 'unsaved');
      assert.equal(document.getText(), text);
      assert.equal(frontName(), name);
      await vscode.commands.executeCommand('acpls.rejectHunk');
      await until('is decided', () => file() === undefined);
      assert.equal(await read(name), state === 'saved' ? before : await read(name));
    });
  }

  for (const how of ['acceptFile', 'rejectFile']) {
    for (const where of ['in front', 'behind another']) {
      test(`what shows files as deleted is closed when that is decided on (${how}, ${where})`, async () => {
        const name = (n: string) => `shown-${how}-${where.length}-${n}.txt`;
        await open(name('open'), before);
        await write(name('closed'), before);
        await open(name('other'), before);
        await prompt(app, session, [
          { read: name('closed') },
          { remove: name('open') },
          { remove: name('closed') },
          { write: name('other'), text: after },
        ]);
        const uriOf = (n: string) => vscode.Uri.file(fileOf(name(n)));
        const file = (n: string) => app.review.file(uriOf(n).toString());
        await until('are listed', () => file('open') && file('closed') && file('other'));
        const shown = () =>
          vscode.window.tabGroups.all
            .flatMap(({ tabs }) => tabs)
            .filter(({ input }) =>
              input instanceof vscode.TabInputTextDiff
                ? input.original.scheme === 'acp-base'
                : input instanceof vscode.TabInputText && input.uri.scheme === 'acp-base',
            )
            .map(({ label }) => label);
        const all = ['other', 'open', 'closed'];
        for (const [i, n] of all.entries()) {
          const uri = uriOf(n);
          await vscode.commands.executeCommand('acpls.openDiff', uri);
          await until(`${n} is shown`, () => shown().length === i + 1);
          await vscode.commands.executeCommand('workbench.action.keepEditor');
        }
        await app.restart();
        await until('they are known again', () => file('open') && file('closed') && file('other'));
        assert.equal(shown().length, 3, 'a tab was closed that was not decided on');
        if (where !== 'in front') {
          await vscode.window.showTextDocument(uriOf('other'), { preview: false });
        }
        for (const n of ['closed', 'open']) {
          // As from the menu of the tab, which names the document that is shown.
          const scheme = n === 'open' ? 'acpls-gone' : 'acp-base';
          await vscode.commands.executeCommand(`acpls.${how}`, uriOf(n).with({ scheme }));
          await until(`${n} is closed`, () => !shown().some((label) => label.startsWith(name(n))));
        }
        assert.equal(shown().length, 1);
        const front = vscode.window.activeTextEditor?.document.uri.path;
        assert.equal(front, uriOf('other').path);
      });
    }
  }

  test('what the chat lists is opened, or it is said why not', async () => {
    const file = await changeAll('list');
    const opens = async (message: { uri?: string; path?: string }, name: string) => {
      app.chat.receive({ type: 'open', ...message });
      await until(`shows ${name}`, () => frontName() === name);
    };
    const said = await saidIn(async () => {
      await opens({ uri: file('list-b.txt').toString() }, 'list-b.txt');
      await opens({ uri: file('list-d.bin').toString() }, 'list-d.bin');
      await opens({ path: file('list-b.txt').fsPath }, 'list-b.txt');
      await openPlace(app.review, file('list-e.bin').toString(), 0);
      await openPlace(app.review, file('never.txt').toString(), 0);
    });
    assert.equal(said.length, 2);
    assert.match(said[0] ?? '', /list-e\.bin is deleted/);
    assert.match(said[1] ?? '', /never\.txt is not there/);
  });

  test('what was there before is a document, kept up to date', async () => {
    const document = await changed('base.txt');
    const base = await vscode.workspace.openTextDocument(document.uri.with({ scheme: 'acp-base' }));
    assert.equal(base.getText(), before);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand('acpls.acceptHunk');
    await until('base has moved', () => base.getText() === before.replace('one', 'ONE'));
  });

  /** The editors that show all changes. */
  const together = () =>
    vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.filter(({ label }) => label.startsWith('Changes by agents')),
    );
  const shows = (files: string) =>
    together().length === 1 &&
    together()[0]?.isActive &&
    together()[0]?.label === `Changes by agents (${files})`;
  const reviewAll = () => vscode.commands.executeCommand('acpls.reviewChanges');

  test('all changes in one editor: it goes with the last of those it shows', async () => {
    const document = await changed('together-a.txt');
    await reviewAll();
    await until('is in front', () => shows('1 file'));
    await prompt(app, session, [{ write: 'together-b.txt', text: 'new\n' }]);
    await until('is listed', () => app.review.counts().files === 2);
    assert.equal(together().length, 1);
    await vscode.commands.executeCommand('acpls.rejectFile', document.uri);
    await until('is closed', () => together().length === 0);
    assert.equal(app.review.counts().files, 1);
  });

  test('all changes in one editor: it shows what there is to whoever comes back to it', async () => {
    const one = await changed('back-a.txt');
    const other = await changed('back-b.txt');
    await reviewAll();
    await until('is in front', () => shows('2 files'));
    // While it is in front nothing takes the focus for it.
    await vscode.commands.executeCommand('acpls.acceptFile', one.uri);
    await hunksAre(app, one);
    assert.ok(shows('2 files'));
    await vscode.window.showTextDocument(other, { preview: false });
    await until('is behind', () => together()[0]?.isActive === false);
    await vscode.commands.executeCommand('workbench.action.lastEditorInGroup');
    await until('shows what there is now', () => shows('1 file'));
  });

  test('all changes in one editor: it stays while acp-ls ends and comes back', async () => {
    await changed('stays.txt');
    await reviewAll();
    await until('is in front', () => shows('1 file'));
    await app.restart();
    await until('they are there again', () => app.review.counts().hunks === 2);
    assert.ok(shows('1 file'));
    await vscode.commands.executeCommand('acpls.acceptAll');
    await until('is closed', () => together().length === 0);
  });

  test('all changes in one editor, however often they are asked for', async () => {
    await changed('multi-a.txt');
    await prompt(app, session, [{ write: 'multi-new.txt', text: 'new\n' }]);
    await until('two files', () => app.review.counts().files === 2);
    await reviewAll();
    await until('they are shown', () => shows('2 files'));
    await prompt(app, session, [{ write: 'multi-more.txt', text: 'new\n' }]);
    await until('three files', () => app.review.counts().files === 3);
    assert.ok(shows('2 files'));
    await reviewAll();
    await until('they are shown anew', () => shows('3 files'));
  });

  test('lines move with what is typed before the server has told of it', async () => {
    const document = await changed('moves.txt');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(3, 0), 'a\nb\n');
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(hunks(app, document), ['pending 0-1', 'pending 8-9']);
    await hunksAre(app, document, 'pending 0-1', 'pending 8-9');
  });

  test('a created file that is rejected is gone', async () => {
    await prompt(app, session, [{ write: 'made.txt', text: 'made\n' }]);
    const uri = vscode.Uri.file(fileOf('made.txt'));
    await until('is listed', () => app.review.file(uri.toString())?.review.file?.op === 'create');
    await vscode.commands.executeCommand('acpls.rejectFile', uri);
    await until('is not listed', () => app.review.file(uri.toString()) === undefined);
    await assert.rejects(read('made.txt'));
  });

  for (const how of ['write', 'disk']) {
    test(`a created file that is open is rejected: no empty one is saved after that (${how})`, async () => {
      const name = `open-${how}.txt`;
      await prompt(app, session, [{ [how]: name, text: 'made\n' }]);
      const uri = vscode.Uri.file(fileOf(name));
      await until('is listed', () => app.review.file(uri.toString())?.review.file?.op === 'create');
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      await hunksAre(app, document, 'pending 0-1');
      await vscode.commands.executeCommand('acpls.rejectFile', uri);
      await until('is not listed', () => app.review.file(uri.toString()) === undefined);
      assert.equal(document.isDirty, false);
      await vscode.commands.executeCommand('workbench.action.files.saveAll');
      await assert.rejects(read(name));
    });
  }

  test('a file that is open is deleted: its lines are counted, and it comes and goes', async () => {
    const document = await open('gone.txt', before);
    const uri = document.uri.toString();
    await prompt(app, session, [{ remove: 'gone.txt' }]);
    await until('is listed', () => app.review.file(uri)?.review.file?.op === 'delete');
    const [file] = app.model.state().files;
    assert.deepEqual([file?.added, file?.removed, file?.whole], [0, 7, 'deleted']);
    await vscode.commands.executeCommand('acpls.rejectFile', document.uri);
    await until('is not listed', () => app.review.file(uri) === undefined);
    assert.equal(await read('gone.txt'), before);
    const { files } = await app.execute('acp.review.list', { state: 'rejected', uri });
    const [rejected] = rejectedOf(files, (of) => vscode.workspace.asRelativePath(of));
    assert.equal(rejected?.label, 'delete the file');
    await app.execute('acp.review.restore', { hunks: [rejected?.value ?? ''] });
    await until('is listed again', () => app.review.file(uri)?.review.file?.op === 'delete');
    await assert.rejects(read('gone.txt'));
  });

  test('keys that decide at the cursor say how to decide on a file as a whole', async () => {
    const said: string[] = [];
    const { setStatusBarMessage } = vscode.window;
    const says = (text: string): vscode.Disposable => {
      said.push(text);
      return new vscode.Disposable(() => undefined);
    };
    Object.assign(vscode.window, { setStatusBarMessage: says });
    try {
      const document = await open('under.txt', before);
      await type(0, 0, 'mine ');
      await prompt(app, session, [{ remove: 'under.txt' }]);
      const file = (): string | undefined =>
        app.review.file(document.uri.toString())?.review.file?.op;
      await until('is listed', () => file() === 'delete');
      await vscode.commands.executeCommand('acpls.rejectHunk');
      await vscode.commands.executeCommand('acpls.acceptHunk');
      assert.deepEqual(said, [
        'This file as a whole is deleted: ACP: Reject All Changes of File.',
        'This file as a whole is deleted: ACP: Accept All Changes of File.',
      ]);
      assert.equal(file(), 'delete');
      await vscode.commands.executeCommand('acpls.rejectFile', document.uri);
      await until('is not listed', () => file() === undefined);
      said.splice(0);
      await vscode.commands.executeCommand('acpls.rejectHunk');
      assert.deepEqual(said, ['There is no change on this line.']);
    } finally {
      Object.assign(vscode.window, { setStatusBarMessage });
    }
  });

  test('the same lines changed by both: a conflict that is settled', async () => {
    const document = await open('conflict.txt', before);
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'conflict.txt', text: after }]);
    await until('conflict is told', () =>
      hunks(app, document).some((h) => h.startsWith('conflict')),
    );
    const file = app.review.file(document.uri.toString());
    const hunk = file?.hunks.find((h) => h.hunk.state === 'conflict')?.hunk;
    assert.ok(hunk);
    assert.equal(document.lineAt(0).text, 'my one');
    await app.perform('acp.review.resolve', { hunk: hunk.id, take: 'theirs' });
    await until('theirs', () => document.lineAt(0).text === 'ONE');
  });

  test('a deletion in the Explorer that is undone there leaves what is undecided', async () => {
    const explorer = vscode.workspace.getConfiguration('explorer');
    const set = (confirm: boolean | undefined) =>
      explorer.update('confirmDelete', confirm, vscode.ConfigurationTarget.Global);
    const name = 'deleted-back.txt';
    const document = await open(name, 'one\ntwo\n');
    await prompt(app, session, [{ write: name, text: 'one\n2\n' }]);
    await hunksAre(app, document, 'pending 1-2');
    const { uri } = document;
    const exists = () => existsSync(uri.fsPath);
    await set(false);
    try {
      await vscode.commands.executeCommand('revealInExplorer', uri);
      await vscode.commands.executeCommand('deleteFile');
      await until('is deleted', () => !exists());
      await until('is closed', () => document.isClosed);
      await until('nothing is left', () => app.review.counts().files === 0);
      await vscode.commands.executeCommand('workbench.files.action.focusFilesExplorer');
      await vscode.commands.executeCommand('undo');
      await until('is back', exists);
      await until('it is undecided', () => app.review.counts().hunks === 1);
      assert.ok(!vscode.workspace.textDocuments.some((one) => one.fileName === uri.fsPath));
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => app.review.counts().files === 0);
      assert.equal(await read(name), 'one\ntwo\n');
    } finally {
      await set(undefined);
    }
  });
});
