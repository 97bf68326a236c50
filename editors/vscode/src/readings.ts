/**
 * What VS Code reads of files by itself. It tells of that as of any other change, and a file that is
 * written again and again has something else by the time when acp-ls looks at it. So acp-ls is told.
 *
 * A document has nothing unsaved after it was read. But VS Code says the same of the first change
 * that the user makes in one without unsaved changes, and only with the next event, of the same
 * version and without a change, that there is something unsaved now.
 */
import * as vscode from 'vscode';
import { roundTrip } from './edits';

interface Change {
  version: number;
  /** Says whether it was a reading, once. */
  say(read: boolean): void;
}

export class Readings implements vscode.Disposable {
  /** Changes of which it is not known yet, by URI. */
  private readonly unsure = new Map<string, Change>();
  private readonly disposables: vscode.Disposable[];
  /** Tells acp-ls whether the change by which a document came to a version was a reading. */
  tell: (uri: vscode.Uri, version: number, read: boolean) => Promise<void> = async () => undefined;

  constructor() {
    this.disposables = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const change = this.unsure.get(document.uri.toString());
        if (change === undefined) {
          return;
        }
        if (change.version !== document.version) {
          change.say(true); // the next one, and nothing was unsaved before it
        } else if (contentChanges.length === 0 && document.isDirty) {
          change.say(false);
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.unsure.get(uri.toString())?.say(false);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Whether a change may be its document's file being read. Who undoes has not read. */
  mayBe({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): boolean {
    return contentChanges.length > 0 && !document.isDirty && reason === undefined;
  }

  /** Tells of a change that may be a reading whether it is one, once that itself was `told`. */
  expect({ uri, version }: vscode.TextDocument, told: Promise<void>): void {
    const of = uri.toString();
    this.unsure.get(of)?.say(true);
    const change: Change = {
      version,
      say: (read) => {
        if (this.unsure.get(of) === change) {
          this.unsure.delete(of);
          void told.then(() => this.tell(uri, version, read)).catch(() => undefined); // acp-ls has ended
        }
      },
    };
    this.unsure.set(of, change);
    // By then it would have been said that something is unsaved.
    void roundTrip().then(() => change.say(true));
  }
}
