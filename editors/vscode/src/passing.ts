/**
 * Texts that a document has only on the way to another, while its file is read anew. acp-ls is not
 * told of them: it would take what the disk has for having come in, and what is put back for the
 * user's doing. It is told what has come of it, in one change.
 */
import * as vscode from 'vscode';
import { difference } from './text';

type Tell = (event: vscode.TextDocumentChangeEvent) => Promise<void>;

/** A document that is on the way. */
interface Way {
  document: vscode.TextDocument;
  /** The text that acp-ls knows. */
  known: string;
  /** Tells of a change that makes the version there is; undefined if there was none. */
  tell: Tell | undefined;
  ended: Promise<void>;
  end(): void;
}

export class Passing {
  private readonly ways = new Map<string, Way>();

  /** From now on acp-ls is not told what text a document has. */
  begin(document: vscode.TextDocument): void {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const known = document.getText();
    this.ways.set(document.uri.toString(), { document, known, tell: undefined, ended, end });
  }

  /** Keeps a change for when it has come to something, if it is on the way; else returns false. */
  keeps({ document }: vscode.TextDocumentChangeEvent, tell: Tell): boolean {
    const way = this.ways.get(document.uri.toString());
    if (way !== undefined) {
      way.tell = tell;
    }
    return way !== undefined;
  }

  /** Tells acp-ls what has come of it: the texts it is to see before, and the one there is. */
  async end(document: vscode.TextDocument, ...through: string[]): Promise<void> {
    const uri = document.uri.toString();
    const way = this.ways.get(uri);
    if (way === undefined) {
      return;
    }
    this.ways.delete(uri);
    try {
      if (way.tell !== undefined && !document.isClosed) {
        let { known } = way;
        const contentChanges = [...through, document.getText()].flatMap((text) => {
          const change = changeOf(known, text);
          known = text;
          return change ?? [];
        });
        // Without changes it tells the version.
        await way.tell({ document, contentChanges, reason: undefined });
      }
    } finally {
      way.end();
    }
  }

  /** Whether a document is on the way. */
  has({ uri }: vscode.TextDocument): boolean {
    return this.ways.has(uri.toString());
  }

  /** Waits until none of some documents is on the way. */
  async ended(uris: string[]): Promise<void> {
    await Promise.all(uris.map((uri) => this.ways.get(vscode.Uri.parse(uri).toString())?.ended));
  }
}

/** The one change from a text to another; undefined if they are the same. */
function changeOf(from: string, to: string): vscode.TextDocumentContentChangeEvent | undefined {
  if (from === to) {
    return undefined;
  }
  const { start, end, insert } = difference(from, to);
  const range = new vscode.Range(positionIn(from, start), positionIn(from, end));
  return { range, rangeOffset: start, rangeLength: end - start, text: insert };
}

/** Where an offset is that is not inside a line end. */
function positionIn(text: string, offset: number): vscode.Position {
  const rows = text.slice(0, offset).split(/\r\n|\r|\n/);
  return new vscode.Position(rows.length - 1, rows.at(-1)?.length ?? 0);
}
