/**
 * What the files of documents have. VS Code tells nobody what it last saw of them, and reads them
 * anew by itself where nothing is unsaved.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { eolOf } from './edits';
import { endsOf, sameText } from './text';

/** Whether a document reads as its file does, or that cannot be told. */
export async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const text = document.getText();
  const disk = await textOnDisk(document);
  return disk === undefined || sameText(text, disk);
}

/** Whether a document has the line ends of a text, if that has them of one kind. */
export function hasEnds(document: vscode.TextDocument, text: string): boolean {
  const ends = endsOf(text);
  return ends === undefined || ends === 'mixed' || ends === eolOf(document);
}

/** What a document's file has. */
export async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  try {
    return await decode(await fs.readFile(document.uri.fsPath), document.encoding);
  } catch {
    return undefined; // gone, or binary: VS Code knows better what to do
  }
}

/** What a text of a document is in its file; undefined if that is not UTF-8. */
export function bytesOf(document: vscode.TextDocument, text: string): Uint8Array | undefined {
  if (document.uri.scheme !== 'file' || !/^utf8/.test(document.encoding)) {
    return undefined;
  }
  return new TextEncoder().encode(document.encoding === 'utf8bom' ? `\uFEFF${text}` : text);
}

/** How long VS Code is given to notice that a file has changed. acp-ls takes two seconds for
 * long enough, and edits the document then. */
const reloadWait = 1500;

/** Waits until VS Code has read the file of a document anew; false if it does not. */
export async function readsAnew(document: vscode.TextDocument): Promise<boolean> {
  const deadline = Date.now() + reloadWait;
  for (;;) {
    const disk = await textOnDisk(document);
    if (document.isClosed || document.isDirty || disk === undefined) {
      return false;
    }
    const same = sameText(document.getText(), disk) && hasEnds(document, disk);
    // The text may be the same where it has only got or lost its byte order mark: VS Code would take the
    // file for newer as long as it has not read that.
    if (same && hasMark(document)) {
      return true;
    }
    const left = deadline - Date.now();
    if (left <= 0) {
      return false; // it has much to do, or does not watch the file
    }
    await changeOf(document, left);
  }
}

/** Whether a document that is UTF-8 was read with the byte order mark that its file has, or without. */
function hasMark(document: vscode.TextDocument): boolean {
  const bytes = /^utf8/.test(document.encoding) ? bytesOnDisk(document) : undefined;
  const marked = bytes?.subarray(0, 3).equals(Buffer.from('\uFEFF'));
  return marked === undefined || marked === (document.encoding === 'utf8bom');
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

/** As VS Code does, which keeps the encoding of a document whatever its file has come to be. */
async function decode(bytes: Uint8Array, encoding: string): Promise<string> {
  try {
    if (/^utf8/.test(encoding)) {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    }
  } catch {
    // VS Code shows characters of its own for what is none
  }
  try {
    const text = await vscode.workspace.decode(bytes, { encoding });
    return text.replace(/^\uFEFF/, '');
  } catch (err) {
    if (!/^utf8/.test(encoding)) {
      throw err;
    }
    return new TextDecoder().decode(bytes); // binary, which it reads in a document that was text
  }
}

/** Whether a document's file has what a hash is of. */
export function hasHash(document: vscode.TextDocument, hash: string | undefined): boolean {
  const bytes = bytesOnDisk(document);
  return bytes !== undefined && hashOf(bytes) === hash;
}

/** What a document's file has at this moment. */
export function bytesOnDisk({ uri }: vscode.TextDocument): Buffer | undefined {
  try {
    return readFileSync(uri.fsPath);
  } catch {
    return undefined;
  }
}

/** What a document's file has, as a hash, if that reads as a text. */
export async function hashIfHas(
  document: vscode.TextDocument,
  text: string,
): Promise<string | undefined> {
  try {
    const bytes = await fs.readFile(document.uri.fsPath);
    return sameText(await decode(bytes, document.encoding), text) ? hashOf(bytes) : undefined;
  } catch {
    return undefined;
  }
}

export function hashOf(text: Uint8Array | string): string {
  return createHash('sha256').update(text).digest('hex');
}
