/**
 * Saves that are under way. While VS Code writes a file its document can be changed; it then says
 * that the document was saved and has no unsaved changes, and neither is so. Whoever believes
 * that takes what the file holds for newer, and what was typed for lost. Therefore edits of
 * acp-ls wait for a save to end, and a save is not told if the document has gone on.
 */
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { sameText } from './text';

/** A save that fails is not told of: after so long it is taken to have ended. */
const longest = 3000;

interface Save {
  version: number;
  ended: Promise<void>;
  end(): void;
}

export class Saves implements vscode.Disposable {
  private readonly underWay = new Map<string, Save>();
  private readonly disposables: vscode.Disposable[];

  constructor() {
    this.disposables = [
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.begin(document)),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.end(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.end(uri)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
    for (const save of this.underWay.values()) {
      save.end();
    }
  }

  /** Saves a document as the user would. */
  async save(document: vscode.TextDocument): Promise<boolean> {
    this.begin(document);
    try {
      return await document.save();
    } finally {
      this.end(document.uri);
    }
  }

  /** Waits until none of some documents is being saved. */
  async ended(uris: string[]): Promise<void> {
    await Promise.all(
      uris.map((uri) => this.underWay.get(vscode.Uri.parse(uri).toString())?.ended),
    );
  }

  /** Whether a document that VS Code says was saved reads as its file does. */
  isTrue(document: vscode.TextDocument): boolean {
    if (this.underWay.get(document.uri.toString())?.version === document.version) {
      return true;
    }
    if (!/^utf8/.test(document.encoding)) {
      return true; // the file cannot be compared here
    }
    try {
      const file = fs.readFileSync(document.uri.fsPath);
      return sameText(document.getText(), new TextDecoder().decode(file));
    } catch {
      return true; // somewhere else, or gone already
    }
  }

  private begin({ uri, version }: vscode.TextDocument): void {
    const known = this.underWay.get(uri.toString());
    if (known !== undefined) {
      known.version = version;
      return;
    }
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.end(uri), longest);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.underWay.set(uri.toString(), { version, ended, end });
  }

  private end(uri: vscode.Uri): void {
    this.underWay.get(uri.toString())?.end();
    this.underWay.delete(uri.toString());
  }
}
