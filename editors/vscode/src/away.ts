/**
 * What the user writes while no acp-ls runs. One that has died, or was ended, in the middle of a
 * turn is followed by one to which that would look like what an unknown program has written
 * meanwhile. It is told in `initialize`.
 */
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { Saves } from './saves';

/**
 * So long before it is known to have ended acp-ls may not have heard of a save any more, or not
 * have written down whose it is what a document has read, in milliseconds.
 */
const lately = 3000;

/** Bytes: of larger files acp-ls looks at no text. */
const maxText = 2 ** 20;

/** What a document has read of its file, if that is text, and when. */
interface Read {
  text: string | undefined;
  at: number;
}

/** What a file was given, when, and what its document had read before. */
interface Given {
  text: string;
  at: number;
  read?: Read | undefined;
}

export interface Written {
  uri: string;
  text: string;
  /** What the document had read of the file before, while no acp-ls ran either. */
  read?: string | undefined;
}

export class Away implements vscode.Disposable {
  /** By URI. */
  private readonly written = new Map<string, Given>();
  /** What documents have read of their files, by URI. */
  private readonly read = new Map<string, Read>();
  /** When acp-ls has ended; undefined: it runs, or never has. */
  private since: number | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly saves: Saves) {
    this.disposables = [
      vscode.workspace.onDidSaveTextDocument((document) => this.onSave(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.onRead(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && !document.isDirty) {
          this.onRead(document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.read.delete(uri.toString())),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** acp-ls has ended. */
  ended(): void {
    this.since ??= Date.now();
  }

  /** acp-ls runs, and has been told. */
  began(): void {
    this.since = undefined;
  }

  /** What acp-ls is told when it starts. */
  told(): Written[] {
    if (this.since === undefined) {
      return [];
    }
    const from = this.since - lately;
    const list: Written[] = [];
    for (const [uri, { text, at, read }] of this.written) {
      const known = read !== undefined && read.at >= from;
      if (at >= from && (!known || read.text !== undefined)) {
        list.push({ uri, text, ...(known ? { read: read.text } : {}) });
      }
    }
    return list;
  }

  private onSave(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    this.written.delete(uri);
    const text = this.saves.isAsked(document) ? undefined : textOf(document); // else it is an agent's
    if (text !== undefined) {
      this.written.set(uri, { text, at: Date.now(), read: this.read.get(uri) });
    }
    this.forgetOld(this.written);
  }

  private onRead(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const text = textOf(document);
    const wrote = this.written.get(uri);
    if (wrote === undefined || wrote.text !== text) {
      this.read.set(uri, { text, at: Date.now() });
    } else if (wrote.read !== undefined) {
      this.read.set(uri, wrote.read); // nobody else has written there
    }
    this.forgetOld(this.read);
  }

  private forgetOld(texts: Map<string, { at: number }>): void {
    const from = (this.since ?? Date.now()) - lately;
    for (const [uri, { at }] of texts) {
      if (at < from) {
        texts.delete(uri);
      }
    }
  }
}

/** What the file of a document has, to the byte, if that is text. */
function textOf({ uri }: vscode.TextDocument): string | undefined {
  try {
    if (uri.scheme !== 'file' || fs.statSync(uri.fsPath).size > maxText) {
      return undefined;
    }
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return text.decode(fs.readFileSync(uri.fsPath));
  } catch {
    return undefined; // gone, or no text
  }
}
