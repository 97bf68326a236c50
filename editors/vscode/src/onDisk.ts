/** What the files of documents have. VS Code tells nobody what it last saw of them. */
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

/** As VS Code does, which keeps the encoding of a document whatever its file has come to be. */
async function decode(bytes: Uint8Array, encoding: string): Promise<string> {
  try {
    if (/^utf8/.test(encoding)) {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    }
  } catch {
    // VS Code shows characters of its own for what is none
  }
  const text = await vscode.workspace.decode(bytes, { encoding });
  return text.replace(/^\uFEFF/, '');
}

/** Whether a document's file has what a hash is of. */
export function hasHash(document: vscode.TextDocument, hash: string): boolean {
  try {
    const bytes = readFileSync(document.uri.fsPath);
    return createHash('sha256').update(bytes).digest('hex') === hash;
  } catch {
    return false;
  }
}
