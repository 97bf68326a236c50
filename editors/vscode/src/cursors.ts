/**
 * Selections in documents that VS Code reads anew. It replaces all from the first to the last row
 * that differs, and puts what was selected in between behind that: who types goes on in the wrong
 * row. So selections are put back to where their text is now, unless the user has done anything since.
 * It shows as many rows from the top as before: what is read is put back there, too, in the editor
 * in front, which is the only one that can be scrolled by rows.
 */
import * as vscode from 'vscode';
import { carrier } from './carry';
import { isOurs } from './editor';
import { roundTrip } from './edits';

/** What an editor has shown. */
interface Shown {
  selections: readonly vscode.Selection[];
  top: number | undefined;
}

/** A document that has been read anew, once or more, and whose selections are to be put back. */
interface Read {
  before: string;
  version: number;
  /** What its editors have shown before. */
  editors: Map<vscode.TextEditor, Shown>;
}

export class Cursors implements vscode.Disposable {
  /** What documents that are shown and have nothing unsaved have, by URI. */
  private readonly texts = new Map<string, string>();
  private readonly read = new Map<string, Read>();
  private readonly disposables = [
    vscode.workspace.onDidChangeTextDocument((event) => this.changed(event)),
    vscode.workspace.onDidSaveTextDocument((document) => {
      this.read.delete(document.uri.toString()); // it was changed by somebody
      this.note(document);
    }),
    vscode.window.onDidChangeVisibleTextEditors(() => this.shown()),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      if (kind !== undefined) {
        this.read.get(textEditor.document.uri.toString())?.editors.delete(textEditor);
      }
    }),
  ];

  /** Takes in what is shown already. */
  begin(): void {
    this.shown();
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  private shown(): void {
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document).filter(isOurs);
    const uris = new Set(shown.map(({ uri }) => uri.toString()));
    for (const uri of [...this.texts.keys()].filter((one) => !uris.has(one))) {
      this.texts.delete(uri);
    }
    for (const document of shown.filter(({ uri }) => !this.texts.has(uri.toString()))) {
      this.note(document);
    }
  }

  private note(document: vscode.TextDocument): void {
    if (!document.isDirty && editorsOf(document).length > 0) {
      this.texts.set(document.uri.toString(), document.getText());
    }
  }

  private changed(event: vscode.TextDocumentChangeEvent): void {
    const { document, contentChanges, reason } = event;
    const uri = document.uri.toString();
    const before = this.texts.get(uri);
    if (document.isDirty || reason !== undefined) {
      this.texts.delete(uri);
      this.read.delete(uri);
    } else if (contentChanges.length === 0) {
      this.note(document);
    } else if (before !== undefined) {
      this.note(document);
      const read = this.read.get(uri) ?? { before, version: 0, editors: shownIn(document) };
      read.version = document.version;
      this.read.set(uri, read);
      // By then it has been told where VS Code has put the selections, and whether it was not a
      // reading but the first change by the user.
      const { version } = read;
      void roundTrip().then(() => {
        if (read.version === version && this.read.get(uri) === read) {
          this.read.delete(uri);
          putBack(document, read);
        }
      });
    }
  }
}

function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
}

function shownIn(document: vscode.TextDocument): Read['editors'] {
  return new Map(
    editorsOf(document).map((editor) => [
      editor,
      { selections: editor.selections, top: topOf(editor) },
    ]),
  );
}

function topOf({ visibleRanges }: vscode.TextEditor): number | undefined {
  return visibleRanges[0]?.start.line;
}

function putBack(document: vscode.TextDocument, { before, version, editors }: Read): void {
  if (document.isDirty || document.version !== version) {
    return;
  }
  const carry = carrier(before, document.getText());
  const carried = (place: vscode.Position) => {
    const { line, character } = carry(place);
    return new vscode.Position(line, character);
  };
  for (const editor of editorsOf(document)) {
    const was = editors.get(editor);
    if (was === undefined) {
      continue;
    }
    const now = was.selections.map(
      ({ anchor, active }) => new vscode.Selection(carried(anchor), carried(active)),
    );
    if (!isSame(now, editor.selections)) {
      editor.selections = now;
    }
    if (was.top !== undefined && topOf(editor) === was.top) {
      scroll(editor, carry({ line: was.top, character: 0 }).line - was.top);
    }
  }
}

function scroll(editor: vscode.TextEditor, rows: number): void {
  if (rows !== 0 && editor === vscode.window.activeTextEditor) {
    const to = rows > 0 ? 'down' : 'up';
    const by = { to, by: 'line', value: Math.abs(rows), revealCursor: false };
    void vscode.commands.executeCommand('editorScroll', by);
  }
}

function isSame(some: readonly vscode.Selection[], others: readonly vscode.Selection[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at];
      return other && one.anchor.isEqual(other.anchor) && one.active.isEqual(other.active);
    })
  );
}
