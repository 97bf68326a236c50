/** Draws changes into the documents that can be seen: what was put in, and what was taken away. */
import * as vscode from 'vscode';
import { splitLines } from './lines';
import type { PlacedHunk, ReviewState } from './state';

/** How much of a line that was taken away is shown, and how many lines. */
const shownLength = 120;

export class Decorations implements vscode.Disposable {
  private readonly inserted = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('acpls.insertedLineBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.OpenOpen,
  });
  private readonly removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly conflict = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('merge.currentContentBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.errorForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly state: ReviewState) {
    this.disposables = [
      this.inserted,
      this.removed,
      this.conflict,
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Draws anew: all documents, or one. */
  refresh(uri?: string): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const of = editor.document.uri.toString();
      if (uri === undefined || uri === of) {
        this.draw(editor, this.state.file(of)?.hunks ?? []);
      }
    }
  }

  private draw(editor: vscode.TextEditor, hunks: PlacedHunk[]): void {
    const inserted: vscode.DecorationOptions[] = [];
    const removed: vscode.DecorationOptions[] = [];
    const conflict: vscode.DecorationOptions[] = [];
    const last = editor.document.lineCount - 1;
    for (const { hunk, lines } of hunks) {
      if (lines.end > lines.start) {
        const range = new vscode.Range(lines.start, 0, Math.min(lines.end - 1, last), 0);
        if (hunk.state === 'conflict') {
          conflict.push({ range });
        } else if (hunk.state === 'pending') {
          inserted.push({ range });
        }
      }
      const gone = splitLines(hunk.state === 'pending' ? hunk.baseText : hunk.text);
      if (gone.length > 0) {
        removed.push(this.removal(editor.document, Math.min(lines.start, last), gone));
      }
    }
    editor.setDecorations(this.inserted, inserted);
    editor.setDecorations(this.removed, removed);
    editor.setDecorations(this.conflict, conflict);
  }

  /** What was taken away, behind the line where it was. */
  private removal(
    document: vscode.TextDocument,
    line: number,
    gone: string[],
  ): vscode.DecorationOptions {
    const end = document.lineAt(line).range.end;
    const text = gone.map((l) => l.trim()).join(' ⏎ ');
    return {
      range: new vscode.Range(end, end),
      renderOptions: {
        after: {
          contentText: text.length > shownLength ? `${text.slice(0, shownLength)}…` : text,
          margin: '0 0 0 3ch',
          color: new vscode.ThemeColor('descriptionForeground'),
          backgroundColor: new vscode.ThemeColor('acpls.removedLineBackground'),
          textDecoration: 'line-through',
        },
      },
    };
  }
}
