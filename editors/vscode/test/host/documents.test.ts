import * as assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { roundTrip } from '../../src/edits';
import {
  anew,
  begin,
  fileOf,
  hunks,
  hunksAre,
  open,
  patience,
  prompt,
  read,
  said,
  theApp,
  type,
  until,
  write,
} from './lib';

const onDisk = (name: string): string => readFileSync(fileOf(name), 'utf8');

suite('documents', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  test('a clean document is saved after a write of the agent', async () => {
    const document = await open('clean.txt', 'one\ntwo\n');
    await prompt(app, session, [{ write: 'clean.txt', text: 'one\n2\n' }]);
    assert.equal(document.getText(), 'one\n2\n');
    assert.equal(document.isDirty, false);
    assert.equal(await read('clean.txt'), 'one\n2\n');
    await hunksAre(app, document, 'pending 1-2');
  });

  test('a document with unsaved text keeps it, and is left unsaved', async () => {
    const document = await open('dirty.txt', 'one\ntwo\nthree\n');
    await type(0, 0, 'my ');
    await prompt(app, session, [
      { read: 'dirty.txt' },
      { write: 'dirty.txt', text: 'my one\ntwo\n3\n' },
    ]);
    assert.equal(document.getText(), 'my one\ntwo\n3\n');
    assert.equal(document.isDirty, true);
    assert.equal(await read('dirty.txt'), 'one\ntwo\nthree\n');
    await hunksAre(app, document, 'pending 2-3');
  });

  test('the agent writes the disk under a clean document: it is read anew, and is no conflict', async () => {
    const document = await open('under.txt', 'one\ntwo\n');
    await prompt(app, session, [{ disk: 'under.txt', text: 'one\n2\n' }]);
    await until('shows the change', () => document.getText() === 'one\n2\n');
    await hunksAre(app, document, 'pending 1-2');
    assert.equal(document.isDirty, false);
    await type(0, 0, 'my ');
    assert.equal(await document.save(), true);
    assert.equal(await read('under.txt'), 'my one\n2\n');
  });

  for (const [where, front] of [
    ['in front', undefined],
    ['behind another', 'front.txt'],
  ] as const) {
    test(`the same where VS Code is late to read the file, ${where}: saving is no conflict`, async () => {
      let asked = 0;
      const late = async (name: string) => {
        app.documents.reload = () => {
          asked++;
          return Promise.resolve({ reloaded: false });
        };
        const document = await open(name, 'one\ntwo\n');
        if (front !== undefined) {
          await open(front, 'x\n');
        }
        await prompt(app, session, [{ disk: name, text: 'one\n2\n' }]);
        Reflect.deleteProperty(app.documents, 'reload');
        return document;
      };
      // Sometimes VS Code reads a file at once: then it is not late.
      const name = (n: number) => `late-${front === undefined}-${n}.txt`;
      let n = 0;
      let document = await late(name(n));
      while (asked === 0 && n < 20) {
        document = await late(name(++n));
      }
      assert.ok(asked > 0);
      await until('shows the change', () => document.getText() === 'one\n2\n');
      await hunksAre(app, document, 'pending 1-2');
      await vscode.window.showTextDocument(document);
      await until('is saved', () => !document.isDirty);
      await type(0, 0, 'my ');
      assert.equal(await document.save(), true);
      assert.equal(await read(name(n)), 'my one\n2\n');
      await hunksAre(app, document, 'pending 1-2');
    });
  }

  for (const where of ['in front', 'beside another version of it', 'behind another'] as const) {
    test(`the agent writes the disk under unsaved text ${where}: merged, and saving is no conflict`, async () => {
      const name = `merge ${where}.txt`;
      let document = await open(name, 'one\ntwo\nthree\n');
      if (where === 'beside another version of it') {
        await write('version.txt', 'one\nthree\n');
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        const version = vscode.Uri.file(fileOf('version.txt'));
        await vscode.commands.executeCommand('vscode.diff', version, document.uri);
        document = await until('it is shown', () =>
          vscode.window.activeTextEditor?.document.uri.path.endsWith(name)
            ? vscode.window.activeTextEditor.document
            : undefined,
        );
      }
      await type(0, 0, 'my ');
      if (where === 'behind another') {
        await open('front.txt', 'x\n');
      }
      const texts: string[] = [];
      const listener = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0) {
          texts.push(document.getText());
        }
      });
      await prompt(app, session, [{ disk: name, text: 'one\ntwo\n3 of the agent\n' }]);
      await until('merged', () => document.getText() === 'my one\ntwo\n3 of the agent\n');
      assert.deepEqual(texts, ['my one\ntwo\n3 of the agent\n']); // none on the way to it
      listener.dispose();
      assert.equal(document.isDirty, true);
      if (where !== 'behind another') {
        const { selection } = vscode.window.activeTextEditor ?? {};
        assert.deepEqual(selection?.active, new vscode.Position(0, 3));
      }
      await hunksAre(app, document, 'pending 2-3');
      await until('is known to VS Code', () => app.documents.isBased(document));
      assert.equal(await document.save(), true);
      assert.equal(document.isDirty, false);
      assert.equal(await read(name), 'my one\ntwo\n3 of the agent\n');
      assert.ok(Date.now() - statSync(fileOf(name)).mtimeMs < 60_000);
      await hunksAre(app, document, 'pending 2-3');
    });
  }

  test('what was typed before the agent wrote the disk can be undone, and redone', async () => {
    const before = 'one\ntwo\nand\nthree\n';
    const document = await open('redo.txt', before);
    await type(0, 0, 'my ');
    await type(1, 0, 'own ');
    await prompt(app, session, [{ disk: 'redo.txt', text: 'one\ntwo\nand\n3 of the agent\n' }]);
    const merged = 'my one\nown two\nand\n3 of the agent\n';
    await until('merged', () => document.getText() === merged);
    const seen: string[] = [];
    while (document.getText() !== before && seen.length < 9) {
      await vscode.commands.executeCommand('undo');
      seen.push(document.getText());
    }
    assert.equal(seen[0], 'my one\nown two\nand\nthree\n');
    assert.equal(document.getText(), before);
    await app.execute('acp.review.list', {}); // acp-ls has seen it, and leaves it
    for (let n = 0; n < seen.length; n++) {
      await vscode.commands.executeCommand('redo');
    }
    await until('is redone', () => document.getText() === merged);
    await hunksAre(app, document, 'pending 3-4');
    assert.equal(await document.save(), true);
    assert.equal(await read('redo.txt'), merged);
  });

  for (const [when, inTurn] of [
    ['in the same turn', true],
    ['in the next', false],
  ] as const) {
    test(`who undoes everything, and the agent writes on ${when}: all of it is undecided`, async () => {
      const name = `undone ${when}.txt`;
      const before = 'one\ntwo\nthree\nfour\nfive\n';
      const first = before.replace('three', '3 of the agent');
      const second = first.replace('five', '5 of the agent');
      const document = await open(name, before);
      await type(0, 0, 'my ');
      const steps = [{ disk: name, text: first }, { until: '../undone' }];
      const onward = { disk: name, text: second };
      await begin(app, session, inTurn ? [...steps, onward] : steps);
      await until('merged', () => document.getText() === first.replace('one', 'my one'));
      for (let n = 0; document.isDirty && n < 9; n++) {
        await vscode.commands.executeCommand('undo');
      }
      assert.deepEqual([document.isDirty, document.getText()], [false, before]);
      await app.execute('acp.review.list', {}); // acp-ls has seen it
      await write('../undone', '');
      await until('the turn ends', () => app.model.session(session)?.state === 'idle');
      await rm(fileOf('../undone'));
      if (!inTurn) {
        await prompt(app, session, [onward]);
      }
      await until('is there', () => document.getText().includes('5 of the agent'));
      // Either VS Code has read the file, or the change was made before it has: what was undone is then.
      const read = document.getText() === second;
      await hunksAre(app, document, ...(read ? ['pending 2-3'] : []), 'pending 4-5');
      await vscode.commands.executeCommand('acpls.rejectAll');
      await until('is rejected', () => document.getText() === before);
      await hunksAre(app, document);
    });
  }

  test('who undoes what the agent wrote on disk, and types on, saves what they see', async () => {
    const document = await open('undone.txt', 'one\ntwo\nthree\n');
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'undone.txt', text: 'one\ntwo\n3 of the agent\n' }]);
    await until('merged', () => document.getText().includes('3 of the agent'));
    await until('is known to VS Code', () => app.documents.isBased(document));
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'my one\ntwo\nthree\n');
    await type(1, 0, 'own ');
    assert.equal(await document.save(), true);
    assert.equal(document.getText(), 'my one\nown two\nthree\n');
    assert.equal(await read('undone.txt'), 'my one\nown two\nthree\n');
  });

  test('the agent writes on under text that is merged: nothing of it is lost, and saving is no conflict', async () => {
    const document = await open('on.txt', 'one\ntwo\nthree\nfour\nfive\n');
    await type(2, 0, 'my ');
    const first = '1 of the agent\ntwo\nthree\nfour\nfive\n';
    await begin(app, session, [{ disk: 'on.txt', text: first }, { hold: true }]);
    const merged = first.replace('three', 'my three');
    await until('merged', () => document.getText() === merged);
    await write('on.txt', first.replace('five', '5 of the agent'));
    assert.equal(await document.save(), true); // it is looked at first
    const all = merged.replace('five', '5 of the agent');
    assert.equal(document.getText(), all);
    assert.equal(await read('on.txt'), all);
    await app.execute('acp.cancel', { session });
    await until('the turn ends', () => app.model.session(session)?.state === 'idle');
    await hunksAre(app, document, 'pending 0-1', 'pending 4-5');
  });

  test('what acp-ls has not seen of the disk is not written over', async () => {
    const document = await open('newer.txt', 'one\ntwo\nthree\n');
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'newer.txt', text: 'one\ntwo\n3 of the agent\n' }]);
    await until('is known to VS Code', () => app.documents.isBased(document));
    await write('newer.txt', 'somebody else wrote this\n');
    assert.equal(await document.save(), false); // VS Code asks
    assert.equal(await read('newer.txt'), 'somebody else wrote this\n');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  test('a save that VS Code has refused is made when what the agent wrote is merged', async () => {
    const document = await open('after all.txt', 'one\ntwo\nthree\n');
    await begin(app, session, [{ say: 'after all' }, { hold: true }]);
    await until('it is at work', () => said(app, 'agent').includes('after all'));
    await type(0, 0, 'my ');
    const { saves } = app;
    saves.look = () => Promise.resolve(); // as if the agent wrote just behind it
    try {
      await write('after all.txt', 'one\ntwo\n3 of the agent\n');
      assert.equal(await document.save(), false);
    } finally {
      Reflect.deleteProperty(saves, 'look');
    }
    await until('is saved after all', () => !document.isDirty);
    assert.equal(document.getText(), 'my one\ntwo\n3 of the agent\n');
    assert.equal(await read('after all.txt'), document.getText());
    await app.execute('acp.cancel', { session });
    await until('the turn ends', () => app.model.session(session)?.state === 'idle');
    await hunksAre(app, document, 'pending 2-3');
  });

  test('the same where it is refused after that was tried, as the agent has written on', async () => {
    const name = 'after all of that.txt';
    const first = 'one\ntwo\n3 of the agent\nfour\nfive\n';
    const second = first.replace('five', '5 of the agent');
    const document = await open(name, first.replace('3 of the agent', 'three'));
    await begin(app, session, [{ say: name }, { hold: true }]);
    await until('it is at work', () => said(app, 'agent').includes(name));
    await type(0, 0, 'my ');
    const { saves } = app;
    const documents = app.documents as unknown as {
      saveAfterAll(of: vscode.TextDocument): Promise<void>;
    };
    const [look, after] = [saves.look.bind(saves), documents.saveAfterAll.bind(documents)];
    const tried = new Promise<void>((resolve) => {
      documents.saveAfterAll = (of) => {
        const done = after(of);
        resolve();
        return done;
      };
    });
    saves.look = async (of) => {
      Reflect.deleteProperty(saves, 'look');
      await look(of, () => tried); // what the agent wrote is merged meanwhile
      await write(name, second);
    };
    try {
      await write(name, first);
      assert.equal(await document.save(), false);
    } finally {
      Reflect.deleteProperty(saves, 'look');
      Reflect.deleteProperty(documents, 'saveAfterAll');
    }
    await until('is saved after all', () => !document.isDirty);
    assert.equal(document.getText(), second.replace('one', 'my one'));
    assert.equal(await read(name), document.getText());
    await app.execute('acp.cancel', { session });
    await until('the turn ends', () => app.model.session(session)?.state === 'idle');
    await hunksAre(app, document, 'pending 2-3', 'pending 4-5');
  });

  test('a file has its time again if it is not saved', async () => {
    const document = await open('time.txt', 'one\ntwo\nthree\n');
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'time.txt', text: 'one\ntwo\n3 of the agent\n' }]);
    await until('is known to VS Code', () => app.documents.isBased(document));
    const { mtimeMs } = statSync(fileOf('time.txt'));
    await app.documents.letSave(document);
    assert.ok(statSync(fileOf('time.txt')).mtimeMs < mtimeMs);
    await until(
      'its time is back',
      () => Math.abs(statSync(fileOf('time.txt')).mtimeMs - mtimeMs) < 1,
    );
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  for (const [length, agents] of [
    ['as long as before', 'FIVE'],
    ['longer', 'five of the agent'],
  ] as const) {
    for (const [where, row] of [
      ['', 1],
      [' beside what is typed', 3],
    ] as const) {
      test(`a file that the agent has made ${length}${where} is not written over by a save at once`, async () => {
        const name = `over ${length}${where}.txt`;
        const rows = ['one', 'two', 'three', 'four', 'five', ''];
        const document = await open(name, rows.join('\n'));
        await begin(app, session, [{ say: name }, { hold: true }]);
        await until('it is at work', () => said(app, 'agent').includes(name));
        await type(row, 0, 'my ');
        await write(name, rows.with(4, agents).join('\n'));
        assert.equal(await document.save(), true);
        const mine = rows.with(row, `my ${rows[row]}`);
        const all = (where ? mine : mine.with(4, agents)).join('\n');
        assert.equal(document.getText(), all);
        // Where both have changed the user's text stays, and the agent's is not lost.
        await hunksAre(app, document, where ? 'conflict 4-5' : 'pending 4-5');
        assert.equal(await read(name), all);
        await app.execute('acp.cancel', { session });
        await until('the turn ends', () => app.model.session(session)?.state === 'idle');
        await hunksAre(app, document, where ? 'conflict 4-5' : 'pending 4-5');
      });
    }
  }

  test('typing while the agent writes the disk loses no key', async () => {
    const document = await open('typing.txt', 'start\nmiddle\nend\n');
    await type(0, 0, 'x');
    const typed = 'the quick brown fox jumps over the lazy dog';
    const writes = Array.from({ length: 6 }, (_, i) => ({
      disk: 'typing.txt',
      text: `start\nmiddle\nend ${i}\n`,
    }));
    const turn = prompt(app, session, writes);
    for (const [i, key] of [...typed].entries()) {
      await vscode.commands.executeCommand('type', { text: key });
      await new Promise((resolve) => setTimeout(resolve, i % 12 === 11 ? 700 : 60));
    }
    await turn;
    const want = `x${typed}start\nmiddle\nend 5\n`;
    await until('merged', () => document.getText() === want).catch(() => undefined);
    assert.equal(document.getText(), want);
    assert.equal(document.getText(), want);
    assert.equal(await document.save(), true);
  });

  test('keys that come while what the agent wrote is merged are kept', async () => {
    const document = await open('keys.txt', 'one\ntwo\nthree\n');
    await type(0, 0, 'my ');
    const turn = prompt(app, session, [{ disk: 'keys.txt', text: 'one\ntwo\n3\n' }]);
    const typed = 'abcdefghijklmnopqrstuvwxyz'.repeat(3);
    for (const key of typed) {
      await vscode.commands.executeCommand('type', { text: key }); // as fast as it goes
    }
    await turn;
    const text = document.getText().replace(/\n(3|three)\n$/, '');
    assert.equal(text, `my ${typed}one\ntwo`);
  });

  test('CRLF stays', async () => {
    const document = await open('crlf.txt', 'one\r\ntwo\r\nthree\r\n');
    await type(0, 0, 'my ');
    await prompt(app, session, [{ disk: 'crlf.txt', text: 'one\r\ntwo\r\n3\r\n' }]);
    await until('merged', () => document.getText() === 'my one\r\ntwo\r\n3\r\n');
    assert.equal(await document.save(), true);
    assert.equal(await read('crlf.txt'), 'my one\r\ntwo\r\n3\r\n');
  });

  for (const [what, before, meanwhile] of [
    ['redone', 'undo', 'redo'],
    ['undone', 'redo', 'undo'],
  ] as const) {
    test(`what is ${what} while a document is saved is kept, and saved`, async function () {
      this.timeout(10 * patience); // it tries again and again
      const name = `${what} in a save.txt`;
      const rest = `${'x'.repeat(99)}\n`.repeat(15_000); // so that saving takes a while
      const document = await open(name, `${rest}end\n`);
      await prompt(app, session, [{ run: `sed -i 's/^end$/end of the agent/' '${name}'` }]);
      await until('is read', () => document.getText().endsWith('end of the agent\n'));
      await hunksAre(app, document, 'pending 15000-15001');
      await type(0, 0, 'mine');
      if (before === 'redo') {
        await vscode.commands.executeCommand('undo');
      }
      await document.save();
      const { saves } = app;
      const again = saves.again.bind(saves);
      let taken = 0; // for saved by VS Code, with an older text on disk
      saves.again = async (one) => {
        await again(one);
        taken++;
      };
      try {
        for (let tries = 0; taken === 0 && tries < 20; tries++) {
          await vscode.commands.executeCommand(before);
          const saved = document.save();
          for (let n = 0; n < tries; n++) {
            await roundTrip(); // until it is being written
          }
          await vscode.commands.executeCommand(meanwhile);
          await saved;
          await document.save(); // if it came too late: who is taken for saved is not by this
          const text = document.getText();
          assert.equal(text.startsWith('mine'), what === 'redone');
          await until('is saved', () => !document.isDirty && onDisk(name) === text);
        }
      } finally {
        Reflect.deleteProperty(saves, 'again');
      }
      assert.ok(taken > 0);
      await vscode.commands.executeCommand('acpls.rejectAll');
      const want = `${what === 'redone' ? 'mine' : ''}${rest}end\n`;
      await until('is rejected', () => !document.isDirty && document.getText() === want);
      await until('is saved', () => onDisk(name) === want);
    });
  }

  test('typing while a document is saved loses no key, while an agent works', async function () {
    this.timeout(10 * patience); // it saves a large file often
    const rest = `${'x'.repeat(99)}\n`.repeat(40_000); // so that saving takes a while
    const document = await open('saving.txt', rest);
    let typed = '';
    let late = 0;
    let saves = 0;
    const listener = vscode.workspace.onWillSaveTextDocument((event) => {
      saves += Number(event.document === document);
    });
    for (let i = 0; i < 12; i++) {
      await type(0, typed.length, String.fromCharCode(65 + i));
      typed += String.fromCharCode(65 + i);
      const saved = document.save();
      for (const key of 'abc') {
        await vscode.commands.executeCommand('type', { text: key });
        typed += key;
      }
      await saved;
      late += Number((await read('saving.txt')) !== document.getText());
      await prompt(app, session, [{ disk: 'other.txt', text: `${i}\n` }]);
      assert.equal(document.getText().slice(0, typed.length), typed);
    }
    listener.dispose();
    assert.ok(late > 0, 'no key came while the document was being saved');
    assert.equal(saves, 12, 'what the user has left unsaved is');
    assert.deepEqual(hunks(app, document), []);
    await document.save();
    assert.equal(await read('saving.txt'), typed + rest);
  });

  test('an edit of the agent while a decision is being saved', async () => {
    const document = await open('decided.txt', 'one\n');
    for (let i = 0; i < 10; i++) {
      await prompt(app, session, [{ write: 'decided.txt', text: `two ${i}\n` }]);
      await hunksAre(app, document, 'pending 0-1');
      const rejected = app.perform('acp.review.reject', { uri: document.uri.toString() });
      await until('is rejected', () => document.getText() === 'one\n');
      await prompt(app, session, [{ write: 'decided.txt', text: `three ${i}\n` }]);
      await rejected;
      await hunksAre(app, document, 'pending 0-1');
      assert.equal(document.getText(), `three ${i}\n`);
      await app.perform('acp.review.reject', { uri: document.uri.toString() });
      await until('is rejected', () => document.getText() === 'one\n');
    }
  });

  test("what the user does to files during a turn is not the agent's", async () => {
    for (const name of ['users-old.txt', 'users-gone.txt']) {
      await write(name, `${name}\nof the user\n`);
    }
    await prompt(app, session, [{ say: 'all is known now' }]);
    const at = (name: string): vscode.Uri => vscode.Uri.file(fileOf(name));
    const files = (): string =>
      app.review
        .all()
        .map(({ uri }) => uri.replace(/.*\//, ''))
        .join();
    await begin(app, session, [
      { disk: 'agents.txt', text: 'the agent\n' },
      { until: 'users-done.txt' },
    ]);
    await until('the turn goes on', () => app.review.file(at('agents.txt').toString()));
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(at('users-old.txt'), at('users-new.txt'));
    edit.deleteFile(at('users-gone.txt'));
    edit.createFile(at('users-done.txt'));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the turn ends', () => app.model.session(session)?.state === 'idle');
    await until(`only the agent's is listed`, () => files() === 'agents.txt');
    await app.execute('acp.review.reject', {});
    assert.equal(await read('users-new.txt'), 'users-old.txt\nof the user\n');
    assert.equal(await read('users-done.txt'), '');
    for (const name of ['users-old.txt', 'users-gone.txt', 'agents.txt']) {
      await assert.rejects(read(name), name);
    }
  });

  test('a file that is not open is written on disk', async () => {
    await write('closed.txt', 'one\n');
    await prompt(app, session, [{ write: 'closed.txt', text: 'two\n' }]);
    assert.equal(await read('closed.txt'), 'two\n');
    const uri = vscode.Uri.file(`${vscode.workspace.workspaceFolders?.[0]?.uri.fsPath}/closed.txt`);
    await until('is listed', () => app.review.file(uri.toString()));
  });
});
