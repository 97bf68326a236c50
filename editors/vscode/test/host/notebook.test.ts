import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, fileOf, hunksAre, prompt, read, theApp, until, write } from './lib';

/** A notebook with cells of text. */
function notebook(...cells: string[]): string {
  const all = cells.map((text) => ({
    cell_type: 'markdown',
    metadata: {},
    source: text.split(/(?<=\n)/),
  }));
  const file = { cells: all, metadata: {}, nbformat: 4, nbformat_minor: 2 };
  return `${JSON.stringify(file, undefined, 1)}\n`;
}

const before = notebook('one\ntwo\n', 'three');
const after = notebook('one\n2\n', 'three');

suite('notebooks', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  const shown = () =>
    vscode.workspace.notebookDocuments.map((one) =>
      one.getCells().map(({ document }) => document.getText()),
    );
  const cellsAre = (...cells: string[]) =>
    until(`the notebook has ${cells}`, () => shown().join('|') === cells.join());

  /** Opens a notebook as VS Code shows it, not as text. */
  async function open(name: string): Promise<vscode.Uri> {
    await write(name, before);
    const uri = vscode.Uri.file(fileOf(name));
    await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
    await cellsAre('one\ntwo\n', 'three');
    return uri;
  }
  const agentWrites = async (name: string) => {
    await prompt(app, session, [{ read: name }, { write: name, text: after }]);
    await until('is there to decide on', () => app.review.counts().hunks === 1);
  };

  for (const where of ['in front', 'in front, in a cell']) {
    test(`what an agent changes in one that is open ${where} is decided on there`, async () => {
      const name = `${where}.ipynb`;
      await open(name);
      if (where === 'in front, in a cell') {
        await vscode.commands.executeCommand('notebook.focusTop');
        await vscode.commands.executeCommand('notebook.cell.edit');
        await until('the cursor is in a cell', () => vscode.window.activeTextEditor !== undefined);
      }
      await agentWrites(name);
      await cellsAre('one\n2\n', 'three');
      await vscode.commands.executeCommand('acpls.rejectFile');
      assert.equal(await read(name), before);
      await cellsAre('one\ntwo\n', 'three');
      assert.equal(app.review.counts().hunks, 0);

      await agentWrites(name);
      await vscode.commands.executeCommand('acpls.acceptFile');
      assert.equal(await read(name), after);
      assert.equal(app.review.counts().hunks, 0);
    });
  }

  test('its changes are gone to, and decided on one by one, in its text', async () => {
    await open('lines.ipynb');
    await agentWrites('lines.ipynb');
    await vscode.commands.executeCommand('acpls.nextHunk');
    const editor = await until('shows the text', () => vscode.window.activeTextEditor);
    assert.equal(editor.document.getText(), after);
    await hunksAre(app, editor.document, 'pending 7-8');
    assert.equal(editor.selection.active.line, 7);
    await vscode.commands.executeCommand('acpls.rejectHunk');
    await until('is rejected', () => app.review.counts().hunks === 0);
    await until('is saved', () => !editor.document.isDirty);
    assert.equal(await read('lines.ipynb'), before);
  });

  test('unsaved cells stay, and are not written over what the agent has written', async () => {
    const uri = await open('unsaved.ipynb');
    const mine = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, 'mine', 'markdown');
    const edit = new vscode.WorkspaceEdit();
    edit.set(uri, [vscode.NotebookEdit.insertCells(0, [mine])]);
    await vscode.workspace.applyEdit(edit);
    await cellsAre('mine', 'one\ntwo\n', 'three');
    await agentWrites('unsaved.ipynb');
    await cellsAre('mine', 'one\ntwo\n', 'three');
    const [document] = vscode.workspace.notebookDocuments;
    assert.equal(document?.isDirty, true);
    assert.equal(await document?.save(), false); // VS Code asks what to do
    assert.equal(await read('unsaved.ipynb'), after);
    await vscode.commands.executeCommand('acpls.rejectFile');
    assert.equal(await read('unsaved.ipynb'), before);
    await cellsAre('mine', 'one\ntwo\n', 'three');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
