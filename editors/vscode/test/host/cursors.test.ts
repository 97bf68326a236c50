import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { roundTrip } from '../../src/edits';
import { closeAll, open, theApp, type, until, write } from './lib';

const rows = (...of: string[]): string => of.map((row) => `${row}\n`).join('');
const before = Array.from({ length: 12 }, (_, at) => `row ${at + 1}`);
const changed = (text: string): string =>
  text.replace(/row 3\b/, 'THREE').replace(/row 9\b/, 'N\nM');

/** Where `[` and `]` are in a text, and the text without them. */
function marked(text: string): { plain: string; offsets: [number, number][] } {
  let plain = '';
  const offsets: [number, number][] = [];
  for (const part of text.split(/(?=[[\]])/)) {
    const mark = /^[[\]]/.exec(part)?.[0];
    if (mark === '[') {
      offsets.push([plain.length, plain.length]);
    } else if (mark === ']') {
      const last = offsets.at(-1);
      assert.ok(last);
      last[1] = plain.length;
    }
    plain += mark === undefined ? part : part.slice(1);
  }
  return { plain, offsets };
}

function marks({ document, selections }: vscode.TextEditor): string {
  const places = selections.flatMap(({ start, end }) => [
    { at: document.offsetAt(end), mark: ']' },
    { at: document.offsetAt(start), mark: '[' },
  ]);
  let text = document.getText();
  for (const { at, mark } of places.sort((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + mark + text.slice(at);
  }
  return text;
}

suite('what is selected where VS Code reads a file anew', () => {
  suiteSetup(async () => {
    await theApp();
    await closeAll();
  });
  teardown(closeAll);

  /** Opens a file with what is marked as selected, and has it written: with the marks as they are to be. */
  async function reads(name: string, from: string, to: string): Promise<vscode.TextEditor> {
    const { plain, offsets } = marked(from);
    const document = await open(name, plain);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selections = offsets.map(
      ([start, end]) => new vscode.Selection(document.positionAt(start), document.positionAt(end)),
    );
    await roundTrip();
    await write(name, marked(to).plain);
    await until('it is read', () => document.getText() === marked(to).plain);
    await until('it is selected', () => marks(editor) === to).catch(() =>
      assert.equal(marks(editor), to),
    );
    return editor;
  }
  const at = (row: string, as: string): string => rows(...before).replace(`${row}\n`, `${as}\n`);

  for (const [what, from] of [
    ['a cursor', at('row 6', 'row 6[]')],
    ['some text', at('row 6', 'r[ow] 6')],
    [
      'several rows',
      rows(...before)
        .replace('row 5', 'r[ow 5')
        .replace('row 7', 'row] 7'),
    ],
    ['several cursors', rows(...before).replace(/row [5-8]/g, '$&[]')],
    ['a cursor before all that differs', at('row 2', 'row[] 2')],
    ['a cursor behind it', at('row 12', 'row[] 12')],
    ['a cursor behind the last row', `${rows(...before)}[]`],
    ['a cursor in a text without an end', at('row 6', 'row 6[]').trimEnd()],
    ['a cursor between line ends of Windows', at('row 6', 'row 6[]').replace(/\n/g, '\r\n')],
  ] as const) {
    test(`${what}: stays where it was`, async () => {
      const to = /\r/.test(from) ? changed(from).replace(/\r?\n/g, '\r\n') : changed(from);
      await reads(`${what}.txt`, from, to);
    });
  }

  test('a cursor in a row that has changed: is beside the same characters', async () => {
    const from = rows('one', 'let a = f([])', 'three', 'four');
    await reads('inside.txt', from, rows('ONE', 'const a = f([], b)', 'three', 'FOUR'));
  });

  test('a cursor in rows that were taken away: is where they were', async () => {
    const from = rows('one', 'two', 't[]hree', 'four', 'five');
    await reads('gone.txt', from, rows('ONE', 'two', '[]four', 'FIVE'));
  });

  test('a cursor between rows that were: stays', async () => {
    const from = rows('one', 'two', 'three', 'fo[]ur', 'five', 'six', 'seven');
    await reads('around.txt', from, rows('one', 'fo[]ur', 'seven'));
  });

  test('what the user types after that comes where the cursor was', async () => {
    const editor = await reads(
      'typed.txt',
      at('row 6', 'row 6[]'),
      changed(at('row 6', 'row 6[]')),
    );
    await vscode.commands.executeCommand('type', { text: '!' });
    assert.match(editor.document.getText(), /^row 6!$/m);
    assert.equal(marks(editor), changed(at('row 6', 'row 6![]')));
  });

  test('one that the user has moved since stays where they went', async () => {
    const name = 'moved.txt';
    const document = await open(name, rows(...before));
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(5, 5, 5, 5);
    await roundTrip();
    const moved = new Promise<void>((resolve) => {
      const listener = vscode.workspace.onDidChangeTextDocument(() => {
        listener.dispose();
        void vscode.commands.executeCommand('cursorTop').then(() => resolve());
      });
    });
    await write(name, changed(rows(...before)));
    await moved;
    await roundTrip();
    await roundTrip();
    assert.equal(marks(editor), `[]${changed(document.getText())}`);
  });

  for (const [what, to] of [
    ['more', 'one more\none more'],
    ['fewer', ''],
  ] as const) {
    test(`the rows that are shown stay, where there are ${what} above them`, async () => {
      const all = Array.from({ length: 200 }, (_, row) => `row ${row + 1}\n`).join('');
      const document = await open(`shown-${what}.txt`, all);
      const editor = vscode.window.activeTextEditor;
      assert.ok(editor);
      const top = () => editor.visibleRanges[0]?.start.line ?? 0;
      editor.selection = new vscode.Selection(104, 0, 104, 0);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.AtTop);
      await until('it is scrolled', () => top() > 50);
      const row = document.lineAt(top()).text;
      const want = all
        .replace(/row 10\nrow 11\nrow 12\n/, to && `${to}\n$&`)
        .replace('row 190', 'x');
      await write(`shown-${what}.txt`, want);
      await until('it is read', () => document.getText() === want);
      await until(`the first is ${row} again`, () => document.lineAt(top()).text === row);
      assert.equal(document.lineAt(editor.selection.active).text, 'row 105');
    });
  }

  test('in two editors of it: stays in both', async () => {
    const name = 'both.txt';
    const document = await open(name, rows(...before));
    const two = await vscode.window.showTextDocument(document, vscode.ViewColumn.Two);
    const one = vscode.window.visibleTextEditors.find(
      (editor) => editor.document === document && editor !== two,
    );
    assert.ok(one);
    one.selection = new vscode.Selection(5, 1, 5, 1);
    two.selection = new vscode.Selection(6, 2, 6, 2);
    await roundTrip();
    await write(name, changed(rows(...before)));
    const is = () => [marks(one), marks(two)];
    const want = [changed(at('row 6', 'r[]ow 6')), changed(at('row 7', 'ro[]w 7'))];
    await until('both are', () => is().join() === want.join()).catch(() =>
      assert.deepEqual(is(), want),
    );
  });

  test('what the user types in a document without unsaved changes leaves the cursor behind it', async () => {
    await open('types.txt', rows(...before));
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    for (const [at, text] of ['a', 'b', 'c'].entries()) {
      await type(at, 0, text);
      await roundTrip();
      await roundTrip();
      assert.deepEqual(editor.selection.active, new vscode.Position(at, 1));
      await editor.document.save();
    }
  });
});
