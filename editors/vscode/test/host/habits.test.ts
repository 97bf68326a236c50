/** What people have set, and do without thinking, while there is something to decide on. */
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import {
  anew,
  begin,
  fileOf,
  hunks,
  hunksAre,
  open,
  prompt,
  read,
  said,
  theApp,
  until,
  write,
} from './lib';

suite('habits', () => {
  let app: App;
  let session = '';
  let listener: vscode.Disposable;
  const disposables: vscode.Disposable[] = [];
  suiteSetup(async () => {
    app = await theApp();
    listener = vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.getText() === disk(document)) {
        saved.set(document, document.getText());
      }
    });
  });
  suiteTeardown(() => listener.dispose());
  setup(async () => {
    session = await anew(app, session);
  });
  teardown(async () => {
    vscode.Disposable.from(...disposables.splice(0)).dispose();
    await set('editor.formatOnSave', undefined);
    await set('files.insertFinalNewline', undefined);
    await set('files.trimFinalNewlines', undefined);
    await set('files.autoSave', 'off'); // a VS Code in a browser saves by itself unless told not to
    await set('files.autoSaveDelay', undefined);
  });

  const set = (setting: string, value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration().update(setting, value, vscode.ConfigurationTarget.Global);
  const idle = () => until('the turn ends', () => app.model.session(session)?.state === 'idle');
  const disk = (of: vscode.TextDocument): string => fs.readFileSync(of.uri.fsPath, 'utf8');
  /** What was in documents and in their files when VS Code said that they were saved. */
  const saved = new Map<vscode.TextDocument, string>();
  /** Waits until the document and its file have this text. */
  const isOnDisk = (document: vscode.TextDocument, text: string): Promise<unknown> => {
    const is = () => document.getText() === text && !document.isDirty && disk(document) === text;
    return until('is on disk', is).catch(() =>
      assert.deepEqual([document.getText(), disk(document), document.isDirty], [text, text, false]),
    );
  };
  /** The same, by a save that has ended: a document whose save is under way may be called clean. */
  const isSaved = (document: vscode.TextDocument, text: string): Promise<unknown> =>
    isOnDisk(document, text).then(() =>
      until('is saved', () => saved.get(document) === text && !document.isDirty),
    );
  const keys = async (text: string): Promise<void> => {
    for (const key of text) {
      await vscode.commands.executeCommand('type', { text: key });
    }
  };
  const cursors = (...at: [line: number, character: number][]): void => {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selections = at.map(([l, c]) => new vscode.Selection(l, c, l, c));
  };

  suite('format on save', () => {
    /** Takes away blanks at both ends of every line, and ends each with a semicolon. */
    const format = (document: vscode.TextDocument): vscode.TextEdit[] =>
      Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line))
        .filter(({ text }) => text.trim() !== '' && !/^\S.*;$/.test(text))
        .map(({ range, text }) =>
          vscode.TextEdit.replace(range, `${text.trim().replace(/;$/, '')};`),
        );
    setup(async () => {
      disposables.push(
        vscode.languages.registerDocumentFormattingEditProvider(
          { pattern: '**/formatted-*' },
          { provideDocumentFormattingEdits: format },
        ),
      );
      await set('editor.formatOnSave', true);
    });

    const before = 'one;\n  two\nthree;\nand;\n four\nfive;\nsix\n';
    const written = 'one;\n  two\nthree;\nand;\n   4\nnew\nfive;\nsix\n';
    const formatted = 'one;\ntwo;\nthree;\nand;\n4;\nnew;\nfive;\nsix;\n';
    const all = ['pending 1-2', 'pending 4-6', 'pending 7-8'];

    test("what is formatted is decided on with the agent's edit, and taken back with it", async () => {
      const document = await open('formatted-edit.txt', before);
      await prompt(app, session, [{ write: 'formatted-edit.txt', text: written }]);
      await isSaved(document, formatted);
      await hunksAre(app, document, ...all);
      await vscode.commands.executeCommand('acpls.rejectFile', document.uri);
      await isSaved(document, before);
      await hunksAre(app, document);
      await vscode.commands.executeCommand('undo'); // one step, as nothing was formatted
      await until('is back', () => document.getText() === formatted);
      await hunksAre(app, document, ...all);
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => hunks(app, document).length === 0);
      assert.equal(document.getText(), before);
      assert.equal(await document.save(), true);
      assert.notEqual(disk(document), before, "the user's own saves format");
    });

    test('what is formatted at several places is undecided again with an undo', async () => {
      disposables.push(
        vscode.languages.registerDocumentFormattingEditProvider(
          { pattern: '**/blanks-*' },
          {
            provideDocumentFormattingEdits: (document) =>
              Array.from({ length: document.lineCount }, (_, line) => document.lineAt(line))
                .filter(({ text }) => / {2}/.test(text))
                .map(({ range, text }) =>
                  vscode.TextEdit.replace(range, text.replaceAll(/ +/g, ' ')),
                ),
          },
        ),
      );
      const plain = 'w  1  x\nc\nc\nplain 5\nd\n';
      const tidy = 'w 1 x\nc\nc\nagent 5\nd\n';
      const document = await open('blanks-undo.txt', plain);
      const agents = plain.replace('plain 5', 'agent   5');
      await prompt(app, session, [{ write: 'blanks-undo.txt', text: agents }]);
      await isSaved(document, tidy);
      await hunksAre(app, document, 'pending 0-1', 'pending 3-4');
      for (let times = 0; times < 2; times++) {
        await vscode.commands.executeCommand(times === 0 ? 'acpls.rejectAll' : 'redo');
        await until('is rejected', () => document.getText() === plain);
        await hunksAre(app, document);
        let parts = 0;
        const listener = vscode.workspace.onDidChangeTextDocument((event) => {
          parts = Math.max(parts, event.document === document ? event.contentChanges.length : 0);
        });
        disposables.push(listener);
        await vscode.commands.executeCommand('undo');
        await until('is back', () => document.getText() === tidy);
        await hunksAre(app, document, 'pending 0-1', 'pending 3-4');
        assert.ok(parts > 1, 'one undo is told of in several changes');
        listener.dispose();
      }
    });

    test('it is taken back in a document that is not in front, too', async () => {
      const document = await open('formatted-behind.txt', before);
      await prompt(app, session, [{ write: 'formatted-behind.txt', text: written }]);
      await isSaved(document, formatted);
      await hunksAre(app, document, ...all);
      const front = await open('formatted-front.txt', 'front\n');
      await vscode.commands.executeCommand('acpls.rejectAll');
      await isOnDisk(document, before);
      await hunksAre(app, document);
      assert.equal(vscode.window.activeTextEditor?.document, front);
    });

    test('it is taken back in one where it is formatted after VS Code says that it saves', async () => {
      const document = await open('formatted-late.txt', before);
      await prompt(app, session, [{ write: 'formatted-late.txt', text: written }]);
      await isSaved(document, formatted);
      await hunksAre(app, document, ...all);
      const front = await open('formatted-front.txt', 'front\n');
      await keys('unsaved ');
      // In which order they come differs from start to start: here a formatter comes last for sure.
      await set('editor.formatOnSave', false);
      const { saves } = app;
      const save = saves.save.bind(saves);
      let late = 0;
      saves.save = (...args) => {
        const done = save(...args);
        disposables.push(
          vscode.workspace.onWillSaveTextDocument((event) => {
            late++;
            event.waitUntil(Promise.resolve(format(event.document)));
          }),
        );
        return done;
      };
      disposables.push({ dispose: () => Reflect.deleteProperty(saves, 'save') });
      await vscode.commands.executeCommand('acpls.rejectAll');
      await isOnDisk(document, before); // and VS Code has read that, so nothing is unsaved
      await hunksAre(app, document);
      assert.equal(late, 1);
      assert.equal(vscode.window.activeTextEditor?.document, front);
      await vscode.commands.executeCommand('undo'); // in the one that is in front
      assert.equal(document.getText(), before);
    });

    for (const [what, setting, text] of [
      ['a line end', 'files.insertFinalNewline', 'one\nx\ny\ntwo'],
      ['none but one', 'files.trimFinalNewlines', 'one\nx\ny\ntwo\n\n\n'],
    ] as const) {
      test(`what a save does at the end of a file where the cursor is is taken back: ${what}`, async () => {
        await set('editor.formatOnSave', false);
        const document = await open('formatted-end.txt', text);
        await set(setting, true);
        cursors([document.lineCount - 1, document.lineAt(document.lineCount - 1).text.length]);
        await prompt(app, session, [
          { write: 'formatted-end.txt', text: text.replace('one', 'ONE') },
        ]);
        await isSaved(document, 'ONE\nx\ny\ntwo\n');
        await until('is shown', () => hunks(app, document).length === 2);
        await vscode.commands.executeCommand('acpls.rejectAll');
        await isSaved(document, text);
        await hunksAre(app, document);
      });
    }

    test('a save for an agent that a formatter has ended is told of, once', async () => {
      const told: vscode.TextDocument[] = [];
      let broken = true;
      disposables.push(
        app.saves.onDidFail((document) => told.push(document)),
        vscode.languages.registerDocumentFormattingEditProvider(
          { pattern: '**/broken-*' },
          {
            provideDocumentFormattingEdits: () =>
              broken ? Promise.reject(new vscode.CancellationError()) : [],
          },
        ),
      );
      const document = await open('broken-save.txt', 'one\ntwo\nthree\n');
      await prompt(app, session, [
        { write: 'broken-save.txt', text: 'one\n2\nthree\n' },
        { write: 'broken-save.txt', text: 'one\n2\n3\n' },
      ]);
      assert.equal(document.getText(), 'one\n2\n3\n');
      assert.deepEqual([document.isDirty, disk(document)], [true, 'one\ntwo\nthree\n']);
      assert.deepEqual(told, [document]);
      const notices = said(app, 'notice').filter((one) => one.includes('broken-save.txt'));
      assert.equal(notices.length, 1, notices.join('\n'));
      assert.match(notices[0] ?? '', /is not saved: .* may have failed$/);
      await hunksAre(app, document, 'pending 1-3');
      broken = false;
      assert.equal(await document.save(), true);
      await isSaved(document, 'one\n2\n3\n');
    });

    test("what is typed while it is formatted is the user's", async () => {
      const document = await open('formatted-typed.txt', before);
      cursors([5, 0]);
      let typed = false;
      disposables.push(
        vscode.workspace.onWillSaveTextDocument((event) => {
          if (event.document === document && !typed) {
            typed = true;
            event.waitUntil(keys('my '));
          }
        }),
      );
      await prompt(app, session, [{ write: 'formatted-typed.txt', text: written }]);
      const mine = (text: string): string => text.replace('five', 'my five');
      await until('is typed', () => document.getText() === mine(formatted));
      await hunksAre(app, document, ...all);
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => hunks(app, document).length === 0);
      assert.equal(document.getText(), mine(before));
    });

    test('the user saves between decisions', async () => {
      const document = await open('formatted-save.txt', 'one;\ntwo;\nthree;\nfour;\nfive;\n');
      await set('editor.formatOnSave', false);
      await prompt(app, session, [
        { write: 'formatted-save.txt', text: '  ONE\ntwo;\nthree;\nfour;\nFIVE\n' },
      ]);
      await hunksAre(app, document, 'pending 0-1', 'pending 4-5');
      await set('editor.formatOnSave', true);
      cursors([2, 0]);
      await keys(' my ');
      assert.equal(await document.save(), true);
      await isSaved(document, 'ONE;\ntwo;\nmy three;\nfour;\nFIVE;\n');
      await hunksAre(app, document, 'pending 0-1', 'pending 4-5');
      await vscode.commands.executeCommand('acpls.rejectAll');
      await isSaved(document, 'one;\ntwo;\nmy three;\nfour;\nfive;\n');
    });
  });

  suite('several cursors', () => {
    const before = 'one\ntwo\nthree\nfour\n';

    test("type in and beside an agent's hunk", async () => {
      const document = await open('cursors.txt', 'one\nold two old\nthree\nfour\n');
      await prompt(app, session, [
        { write: 'cursors.txt', text: 'one\nold TWO old\nthree\nfour\n' },
      ]);
      await hunksAre(app, document, 'pending 1-2');
      cursors([0, 0], [1, 0], [3, 0]);
      await keys('my ');
      assert.equal(document.getText(), 'my one\nmy old TWO old\nthree\nmy four\n');
      await hunksAre(app, document, 'pending 1-2');
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => hunks(app, document).length === 0);
      assert.equal(document.getText(), 'my one\nmy old two old\nthree\nmy four\n');
    });

    test('put in lines on both sides of it', async () => {
      const document = await open('cursors-lines.txt', before);
      await prompt(app, session, [
        { write: 'cursors-lines.txt', text: before.replace('two', 'TWO') },
      ]);
      await hunksAre(app, document, 'pending 1-2');
      cursors([0, 3], [1, 3], [2, 5]);
      await keys('\nmy');
      assert.equal(document.getText(), 'one\nmy\nTWO\nmy\nthree\nmy\nfour\n');
      await hunksAre(app, document, 'pending 2-3');
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => hunks(app, document).length === 0);
      assert.equal(document.getText(), 'one\nmy\ntwo\nmy\nthree\nmy\nfour\n');
    });

    test('type while the agent edits between them', async () => {
      const at = (one: string, six: string, agents: string) =>
        [one, '', agents, '', '', six, '', agents, ''].join('\n');
      const document = await open('cursors-turn.txt', at('one', 'six', 'x'));
      cursors([0, 0], [5, 0]);
      await keys('.');
      const writes = Array.from({ length: 8 }, (_, i) => ({
        write: 'cursors-turn.txt',
        text: at('one', 'six', `agent ${i}`),
      }));
      await begin(app, session, writes);
      const words = ['the ', 'quick ', 'brown ', 'fox ', 'jumps ', 'over ', 'the ', 'dog '];
      for (const [i, word] of words.entries()) {
        await keys(word); // while the next edit is on its way
        await until(`edit ${i}`, () => document.getText().includes(`agent ${i}`));
      }
      const typed = words.join('');
      await idle();
      const want = at(`.${typed}one`, `.${typed}six`, 'agent 7');
      await until('all of it is there', () => document.getText() === want).catch(() =>
        assert.equal(document.getText(), want),
      );
      await hunksAre(app, document, 'pending 2-3', 'pending 7-8');
    });
  });

  test('text is saved by itself during a turn', async () => {
    await set('files.autoSaveDelay', 50);
    await set('files.autoSave', 'afterDelay');
    const at = (three: string, six: string, ...rest: string[]): string =>
      ['1', '2', three, '4', '5', six, '7', '8', ...rest, ''].join('\n');
    const document = await open('auto.txt', at('3', '6', '9', '10', '11'));
    await begin(app, session, [
      { write: 'auto.txt', text: at('THREE', '6', '9', '10', '11') },
      { until: '../auto-1' },
      { write: 'auto.txt', text: at('THREE', '6', 'NINE', '10', '11') },
      { until: '../auto-2' },
      { disk: 'auto.txt', text: at('THREE', 'my 6', 'NINE', '10', 'ELEVEN your') },
    ]);
    await hunksAre(app, document, 'pending 2-3');
    cursors([5, 0]);
    await keys('my ');
    await isSaved(document, at('THREE', 'my 6', '9', '10', '11'));
    await hunksAre(app, document, 'pending 2-3');
    await write('../auto-1', '');
    await hunksAre(app, document, 'pending 2-3', 'pending 8-9');
    cursors([10, 2]);
    await keys(' your');
    await isSaved(document, at('THREE', 'my 6', 'NINE', '10', '11 your'));
    await write('../auto-2', '');
    await idle();
    await isOnDisk(document, at('THREE', 'my 6', 'NINE', '10', 'ELEVEN your'));
    await hunksAre(app, document, 'pending 2-3', 'pending 8-9', 'pending 10-11');
    await vscode.commands.executeCommand('acpls.rejectAll');
    await isSaved(document, at('3', 'my 6', '9', '10', '11 your'));
  });

  for (const [when, wait] of [
    ['', true],
    [', while it is being saved', false],
  ] as const) {
    test(`a file with changes is renamed during a turn${when}`, async () => {
      const [from, to, go] = [`old-${wait}.txt`, `new-${wait}.txt`, `go-${wait}`];
      const document = await open(from, 'one\ntwo\nthree\n');
      await begin(app, session, [
        { write: from, text: 'one\nTWO\nthree\n' },
        { until: `../${go}` },
        { read: to },
        { write: to, text: 'one\nTWO\nTHREE\n' },
      ]);
      await hunksAre(app, document, 'pending 1-2');
      if (wait) {
        await isSaved(document, 'one\nTWO\nthree\n');
      }
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(document.uri, vscode.Uri.file(fileOf(to)));
      assert.ok(await vscode.workspace.applyEdit(edit));
      const renamed = await open(to);
      await hunksAre(app, renamed, 'pending 1-2');
      await write(`../${go}`, '');
      await idle();
      await hunksAre(app, renamed, 'pending 1-3');
      assert.deepEqual(
        app.review.all().map(({ uri }) => uri),
        [renamed.uri.toString()],
      );
      await vscode.commands.executeCommand('acpls.rejectAll');
      await isSaved(renamed, 'one\ntwo\nthree\n');
      await assert.rejects(read(from));
    });
  }
});
