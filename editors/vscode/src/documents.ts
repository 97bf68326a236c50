/**
 * What acp-ls asks of documents: acp/save, acp/reload and acp/adopt.
 *
 * VS Code reads files anew by itself and keeps what it last saw of the disk to itself. The one
 * way to make the disk's state the base of a document with unsaved text is the command *Revert
 * File*, which works on the document that is in front. For others acp-ls is told that it cannot
 * be done: it then edits the document, and the base is put right when the user next looks at it,
 * so that saving is no conflict.
 */
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Requests } from './contract';

/** How long VS Code is given to notice that a file has changed. acp-ls takes two seconds for
 * long enough, and edits the document then. */
const reloadWait = 1500;

const revert = 'workbench.action.files.revert';

export class Documents implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  /** Documents whose text is right and whose base is not what the disk has, by URI. */
  private readonly behind = new Set<string>();
  /** Those that are being put right. */
  private readonly busy = new Set<string>();

  constructor(private readonly output: vscode.LogOutputChannel) {
    this.disposables.push(
      vscode.window.onDidChangeActiveTextEditor(() => void this.putRight()),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.behind.delete(uri.toString())),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.behind.delete(uri.toString())),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Saves as the user would: formatters run. */
  async save({ uri }: { uri: string }): Promise<Requests['acp/save']['result']> {
    const document = find(uri);
    if (document === undefined || document.isUntitled) {
      return { saved: false };
    }
    if (!document.isDirty) {
      return { saved: true };
    }
    await this.putRight();
    return { saved: await document.save() };
  }

  /** Waits until VS Code has read the file anew, which it does by itself. */
  async reload({ uri }: { uri: string }): Promise<Requests['acp/reload']['result']> {
    const document = find(uri);
    if (document === undefined || document.isDirty) {
      return { reloaded: false };
    }
    const deadline = Date.now() + reloadWait;
    for (;;) {
      const disk = await textOnDisk(document);
      if (document.isClosed || document.isDirty || disk === undefined) {
        return { reloaded: false };
      }
      if (sameText(document.getText(), disk)) {
        return { reloaded: true };
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        return { reloaded: await this.revertIfInFront(document, disk) };
      }
      await changeOf(document, left);
    }
  }

  /** Makes the disk's state the base of a document and `text` its content. */
  async adopt({ uri, version, text }: Requests['acp/adopt']['params']): Promise<{
    adopted: boolean;
  }> {
    const document = find(uri);
    if (document === undefined || document.version !== version) {
      return { adopted: false };
    }
    if (!document.isDirty) {
      // VS Code reads it anew by itself; what is left is an ordinary edit.
      return { adopted: false };
    }
    if (!isInFront(document)) {
      this.behind.add(uri);
      return { adopted: false };
    }
    return { adopted: await this.rebase(document, text) };
  }

  /** Whether a document's base is known to be older than what the disk has. */
  isBehind(uri: string): boolean {
    return this.behind.has(uri);
  }

  private async putRight(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const uri = document?.uri.toString();
    if (document === undefined || uri === undefined || !this.behind.has(uri)) {
      return;
    }
    if (!document.isDirty || (await this.rebase(document, document.getText()))) {
      this.behind.delete(uri);
    }
  }

  /**
   * Reads the file of the document in front anew, and makes `text` its content. What the user
   * types meanwhile stays: then the document gets its own text back, and false is returned.
   */
  private async rebase(document: vscode.TextDocument, text: string): Promise<boolean> {
    const uri = document.uri.toString();
    if (this.busy.has(uri)) {
      return false;
    }
    this.busy.add(uri);
    const before = document.getText();
    // The last text before the file was read, and whether the user typed up to then.
    let last = before;
    let read = false;
    let typedAfter = false;
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || event.contentChanges.length === 0) {
        return;
      }
      if (read) {
        typedAfter = true;
      } else if (document.isDirty) {
        last = document.getText();
      } else {
        read = true;
      }
    });
    try {
      await vscode.commands.executeCommand(revert);
      if (document.isDirty && !typedAfter) {
        return false; // nothing was read: it was not in front any more
      }
      const typed = last !== before || typedAfter;
      const want = last !== before ? last : text;
      if (typedAfter) {
        this.output.warn(`${uri}: typed into while its file was read anew`);
        return false;
      }
      return (await replaceText(document, want)) && !typed;
    } finally {
      listener.dispose();
      this.busy.delete(uri);
    }
  }

  /** For a document that is clean and whose file VS Code does not watch. */
  private async revertIfInFront(document: vscode.TextDocument, disk: string): Promise<boolean> {
    if (!isInFront(document) || document.isDirty) {
      return false;
    }
    await vscode.commands.executeCommand(revert);
    return !document.isDirty && sameText(document.getText(), disk);
  }
}

/** The open document of a URI, however that is spelled. */
export function find(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

/** Whether a document is what *Revert File* works on. */
function isInFront(document: vscode.TextDocument): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
}

/** Resolves when a document has changed, or after `ms`. */
function changeOf(document: vscode.TextDocument, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) {
        done();
      }
    });
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    }
  });
}

async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  try {
    const bytes = await fs.readFile(document.uri.fsPath);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // gone, or no UTF-8: VS Code knows better what to do
  }
}

/** Whether two texts are the same but for line ends, which a document has of one kind only. */
function sameText(a: string, b: string): boolean {
  return lf(a) === lf(b);
}

function lf(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\r/g, '\n');
}

/** Replaces what differs, so that cursors elsewhere stay. */
export async function replaceText(document: vscode.TextDocument, text: string): Promise<boolean> {
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const want = lf(text).replace(/\n/g, eol);
  const have = document.getText();
  if (have === want) {
    return true;
  }
  const { start, end, insert } = difference(have, want);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(
    document.uri,
    new vscode.Range(document.positionAt(start), document.positionAt(end)),
    insert,
  );
  return vscode.workspace.applyEdit(edit);
}

/** What has to be replaced in `have` to get `want`: offsets, never inside a pair that is one
 * character or one line end. */
export function difference(
  have: string,
  want: string,
): { start: number; end: number; insert: string } {
  const most = Math.min(have.length, want.length);
  let start = 0;
  while (start < most && have[start] === want[start]) {
    start++;
  }
  let tail = 0;
  while (tail < most - start && have.at(-1 - tail) === want.at(-1 - tail)) {
    tail++;
  }
  const splits = (text: string, at: number): boolean =>
    /[\uD800-\uDBFF\r]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF\n]/.test(text[at] ?? '');
  while (start > 0 && (splits(have, start) || splits(want, start))) {
    start--;
  }
  while (tail > 0 && (splits(have, have.length - tail) || splits(want, want.length - tail))) {
    tail--;
  }
  return { start, end: have.length - tail, insert: want.slice(start, want.length - tail) };
}
