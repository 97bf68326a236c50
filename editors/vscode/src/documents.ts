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
import { carry, difference } from './text';

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
   * types meanwhile is kept; the answer is false then, because the content is not `text` alone.
   */
  private async rebase(document: vscode.TextDocument, text: string): Promise<boolean> {
    const uri = document.uri.toString();
    if (this.busy.has(uri)) {
      return false;
    }
    this.busy.add(uri);
    const before = document.getText();
    let last = before; // up to when the file was read
    let disk: string | undefined; // what was read
    // A document that has unsaved text counts as saved at the moment its file is read anew.
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0 && disk === undefined) {
        if (document.isDirty) {
          last = document.getText();
        } else {
          disk = document.getText();
        }
      }
    });
    try {
      await vscode.commands.executeCommand(revert);
      if (disk === undefined && document.isDirty) {
        return false; // it is not in front any more: nothing was read
      }
      const from = disk ?? document.getText();
      const want = carry(before, last, sameEnds(document, text));
      for (let tries = 0; tries < 5; tries++) {
        const target = carry(from, document.getText(), want);
        if (await replaceText(document, target)) {
          return target === sameEnds(document, text);
        }
      }
      this.output.error(`${uri}: no edit was taken after its file was read anew`);
      return false;
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

/** A text with the line ends of a document. */
function sameEnds(document: vscode.TextDocument, text: string): string {
  return lf(text).replace(/\n/g, document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
}

/**
 * Replaces what differs, so that cursors elsewhere stay. VS Code refuses the edit if the document
 * has changed meanwhile.
 */
async function replaceText(document: vscode.TextDocument, want: string): Promise<boolean> {
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
