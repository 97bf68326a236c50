/** Draws changes into the documents that can be seen: what was put in, and what was taken away. */
import * as vscode from 'vscode';
import { splitLines } from './lines';
import { type PlacedHunk, plural, type ReviewState } from './state';

/** How much of a line that was taken away is shown. */
const shownLength = 60;

/** How each kind of lines looks. */
function createTypes() {
  const { createTextEditorDecorationType } = vscode.window;
  return {
    inserted: createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('acpls.insertedLineBackground'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      rangeBehavior: vscode.DecorationRangeBehavior.OpenOpen,
    }),
    removed: createTextEditorDecorationType({
      isWholeLine: true,
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
    /** Lines that would go. */
    going: createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('acpls.removedLineBackground'),
    }),
    conflict: createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('acpls.conflictLineBackground'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('acpls.conflictLineBorder'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.errorForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Full,
    }),
  };
}

export class Decorations implements vscode.Disposable {
  /** Made when there is something to draw: most windows start without. */
  private types: ReturnType<typeof createTypes> | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly state: ReviewState) {
    this.disposables = [
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.refresh()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables, ...Object.values(this.types ?? {})).dispose();
  }

  /** Draws anew: all documents, or one. */
  refresh(uri?: string): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const of = editor.document.uri.toString();
      if (uri === undefined || uri === of) {
        this.draw(editor, isPlain(editor) ? (this.state.file(of)?.hunks ?? []) : []);
      }
    }
  }

  private draw(editor: vscode.TextEditor, hunks: PlacedHunk[]): void {
    if (hunks.length === 0 && this.types === undefined) {
      return; // nothing is drawn, and nothing was
    }
    this.types ??= createTypes();
    const inserted: vscode.DecorationOptions[] = [];
    const removed: vscode.DecorationOptions[] = [];
    const going: vscode.DecorationOptions[] = [];
    const conflict: vscode.DecorationOptions[] = [];
    const last = editor.document.lineCount - 1;
    for (const { hunk, lines } of hunks) {
      if (lines.end > lines.start) {
        const range = new vscode.Range(lines.start, 0, Math.min(lines.end - 1, last), 0);
        if (hunk.state === 'conflict') {
          conflict.push({ range });
        } else if (hunk.state === 'pending') {
          inserted.push({ range });
        } else if (hunk.state === 'proposed') {
          going.push({ range });
        }
      }
      const gone = hunk.state === 'pending';
      const other = splitLines(gone ? hunk.baseText : hunk.text);
      if (other.length > 0) {
        removed.push(this.absent(editor.document, Math.min(lines.start, last), other, gone));
      }
    }
    editor.setDecorations(this.types.inserted, inserted);
    editor.setDecorations(this.types.removed, removed);
    editor.setDecorations(this.types.going, going);
    editor.setDecorations(this.types.conflict, conflict);
  }

  /** What was taken away, or would be put in, in short, behind the line where its place is. */
  private absent(
    document: vscode.TextDocument,
    line: number,
    text: string[],
    gone: boolean,
  ): vscode.DecorationOptions {
    const end = document.lineAt(line).range.end;
    return {
      range: new vscode.Range(end, end),
      renderOptions: {
        after: {
          contentText: shorten(text),
          margin: '0 0 0 3ch',
          color: new vscode.ThemeColor('descriptionForeground'),
          backgroundColor: new vscode.ThemeColor(
            gone ? 'acpls.removedLineBackground' : 'acpls.insertedLineBackground',
          ),
          ...(gone ? { textDecoration: 'line-through' } : { fontStyle: 'italic' }),
        },
      },
    };
  }
}

/** Whether an editor is a tab of its own, and not one side of a difference, which shows it all. */
function isPlain(editor: vscode.TextEditor): boolean {
  const group = vscode.window.tabGroups.all.find(
    ({ viewColumn }) => viewColumn === editor.viewColumn,
  );
  const input = group?.activeTab?.input;
  return (
    input instanceof vscode.TabInputText && input.uri.toString() === editor.document.uri.toString()
  );
}

/** The first of some lines that says something, and how many more there are. */
export function shorten(lines: string[]): string {
  const first = (lines.find((line) => line.trim() !== '') ?? '').trim().replace(/\s+/g, ' ');
  const text = first.length > shownLength ? `${first.slice(0, shownLength)}…` : first;
  const more = lines.length > 1 ? `+ ${plural(lines.length - 1, 'line')}` : '';
  return [text, more].filter((part) => part !== '').join(' ') || 'an empty line';
}
