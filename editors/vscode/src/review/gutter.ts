/**
 * Marks changes beside the line numbers, and shows what was there before when such a mark is
 * clicked: VS Code's own quick differences, against the documents of the server that have every
 * file as it would be without the undecided changes.
 */
import * as vscode from 'vscode';
import { baseUri } from './aside';
import { show } from './changes';
import type { Lines } from './lines';
import type { ReviewState } from './state';

export class Gutter implements vscode.Disposable {
  private control: vscode.SourceControl | undefined;
  /** How many there have been. */
  private controls = 0;

  constructor(private readonly state: ReviewState) {}

  dispose(): void {
    this.control?.dispose();
  }

  /** Quick differences belong to a source control: there is one while there are changes. */
  refresh(): void {
    if (this.state.counts().hunks === 0) {
      this.control?.dispose();
      this.control = undefined;
    } else {
      this.control ??= this.create();
    }
  }

  private create(): vscode.SourceControl {
    const control = vscode.scm.createSourceControl('acpls', 'Agents (ACP)');
    control.inputBox.visible = false;
    control.count = 0;
    // VS Code lets the former text of a document go when nothing gives it one any more, as without git,
    // and not before something does again: of the same name that one is gone too, and no difference
    // is ever found. So the next one has the other of two names.
    const query = this.controls++ % 2 === 0 ? '' : 'again';
    control.quickDiffProvider = {
      // Asked once for each document, also for those without changes: they may get some.
      provideOriginalResource: (uri) =>
        uri.scheme === 'file' ? baseUri(uri).with({ query }) : undefined,
    };
    return control;
  }
}

/**
 * Shows what was there before a hunk. VS Code shows the next difference from the cursor on, and lines
 * that are gone belong to the line above them; it leaves the cursor where that difference is, which
 * goes back to the hunk: what is decided at the cursor is that one.
 */
export async function peek(uri: string, lines: Lines): Promise<void> {
  const gone = lines.start === lines.end && lines.start > 0;
  await show(uri, gone ? lines.start - 1 : lines.start);
  await vscode.commands.executeCommand('editor.action.dirtydiff.next');
  if (gone) {
    await show(uri, lines.start);
  }
}
