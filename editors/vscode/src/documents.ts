/**
 * What acp-ls asks of documents: acp/save, acp/reload and acp/adopt.
 *
 * VS Code reads files anew by itself and keeps what it last saw of the disk to itself. The one
 * way to make the disk's state the base of a document with unsaved text is the command *Revert
 * File*, which works on the document that is in front. For others, and while the user types,
 * acp-ls is told that it cannot be done: it then edits the document, and the base is put right
 * when the user next looks at it, so that saving is no conflict. Until acp-ls has made its edit,
 * the base stays as it is: better a conflict than a change of the disk's that is overwritten.
 */
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Requests } from './contract';
import type { Typing } from './editor';
import {
  type Ends,
  eolOf,
  find,
  isInFront,
  replaceText,
  roundTrip,
  sameEnds,
  turnEnds,
  withEnds,
} from './edits';
import { mayHaveFailed, type Saves } from './saves';
import { carry, difference, endsOf, follow, sameText, typedAt } from './text';

/** How long VS Code is given to notice that a file has changed. acp-ls takes two seconds for
 * long enough, and edits the document then. */
const reloadWait = 1500;

/** How long it is tried to put a document's text back. */
const rebaseWait = 10_000;

/** A document is not read anew while the user types: not for so long after a key. */
const quiet = 1500;

const revert = 'workbench.action.files.revert';

export class Documents implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  /**
   * Documents whose base is older than what the disk has, by URI: `waiting` until their text
   * contains what has changed on disk, then `merged`.
   */
  private readonly behind = new Map<string, 'waiting' | 'merged'>();
  /** Those that are being put right. */
  private readonly busy = new Set<string>();

  private timer: NodeJS.Timeout | undefined;
  private readonly right = new vscode.EventEmitter<void>();
  /** A document that was behind is so no more. */
  readonly onDidPutRight = this.right.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly typing: Typing,
    private readonly saves: Saves,
  ) {
    this.disposables.push(
      this.right,
      vscode.window.onDidChangeActiveTextEditor(() => void this.putRight()),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.explain(document)),
      vscode.workspace.onDidSaveTextDocument((document) => void this.forgetIfRead(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.behind.has(document.uri.toString())) {
          void (document.isDirty ? this.putRight() : this.forgetIfRead(document));
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.behind.delete(uri.toString())),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Saves as the user would, formatters run; or the text as it is. */
  async save({
    uri,
    version,
    format,
  }: Requests['acp/save']['params']): Promise<Requests['acp/save']['result']> {
    const document = find(uri);
    if (document === undefined || document.isUntitled) {
      return { saved: false };
    }
    await this.putRight();
    if (this.behind.has(document.uri.toString())) {
      // VS Code would ask the user what to do.
      return { saved: false, reason: 'the file has changed on disk' };
    }
    if (document.isDirty && version !== undefined && document.version !== version) {
      return { saved: false, reason: 'the document has changed meanwhile' };
    }
    if (await this.saves.save(document, format !== false)) {
      return { saved: true };
    }
    return format === false ? { saved: false } : { saved: false, reason: mayHaveFailed };
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
      if (sameText(document.getText(), disk) && hasEnds(document, disk)) {
        return { reloaded: true };
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        return { reloaded: false }; // a file that VS Code does not watch
      }
      await changeOf(document, left);
    }
  }

  /** Makes the disk's state the base of a document and `text` its content. */
  async adopt({ uri, version, text }: Requests['acp/adopt']['params']): Promise<{
    adopted: boolean;
  }> {
    const document = find(uri);
    if (document === undefined) {
      return { adopted: false };
    }
    if (!document.isDirty) {
      // VS Code would have read it anew by now, if it watched the file: an edit of acp-ls will.
      this.behind.set(document.uri.toString(), 'waiting');
      await this.forgetIfRead(document);
      return { adopted: false };
    }
    const quietly = this.typing.ago() >= quiet && isInFront(document);
    if (document.version === version && quietly) {
      const { read, exact } = await this.rebase(document, text);
      if (read) {
        return { adopted: exact };
      }
    }
    const contained =
      document.version === version && sameEnds(document, text) === document.getText();
    this.behind.set(document.uri.toString(), contained ? 'merged' : 'waiting');
    void this.putRight();
    return { adopted: false };
  }

  /** An edit of acp-ls was applied. */
  applied(uris: string[]): void {
    for (const uri of uris.map((spelled) => vscode.Uri.parse(spelled).toString())) {
      if (this.behind.has(uri)) {
        this.behind.set(uri, 'merged');
        void this.putRight();
      }
    }
  }

  /** Whoever saves a document, or has it read anew, leaves it with what the disk has. */
  private async forgetIfRead(document: vscode.TextDocument): Promise<void> {
    const uri = document.uri.toString();
    if (!this.behind.has(uri) || this.busy.has(uri) || !(await isAsOnDisk(document))) {
      return;
    }
    await roundTrip(); // a change is told of before it makes the document dirty
    if (!document.isDirty && !this.busy.has(uri)) {
      this.behind.delete(uri);
      this.right.fire();
    }
  }

  /** Whether a document's base is known to be older than what the disk has. */
  isBehind(uri: string): boolean {
    return this.behind.has(uri);
  }

  /** Says what VS Code is about to ask. */
  private explain(document: vscode.TextDocument): void {
    if (this.behind.get(document.uri.toString()) === 'merged') {
      void vscode.window.showInformationMessage(
        `${vscode.workspace.asRelativePath(document.uri)}: what an agent wrote on disk is in your ` +
          'text already. If VS Code says that the file is newer, overwriting it loses nothing.',
      );
    }
  }

  /** Reads the file of the document in front anew if it is behind, as soon as nobody types. */
  private async putRight(): Promise<void> {
    clearTimeout(this.timer);
    const document = vscode.window.activeTextEditor?.document;
    const uri = document?.uri.toString();
    if (document === undefined || uri === undefined || this.behind.get(uri) !== 'merged') {
      return;
    }
    const wait = quiet - this.typing.ago();
    if (wait > 0) {
      this.timer = setTimeout(() => void this.putRight(), wait);
      return;
    }
    if (!document.isDirty) {
      // The user has undone it all, or VS Code reads the file just now: what it has is to stay.
      await this.forgetIfRead(document);
    } else if ((await this.rebase(document)).read) {
      this.behind.delete(uri);
      this.right.fire();
    } else if (isInFront(document)) {
      this.timer = setTimeout(() => void this.putRight(), quiet); // a key came before
    }
  }

  /**
   * Reads the file of the document in front anew, and then makes `text` its content, by default
   * that which it has. What the user types meanwhile is kept.
   * @returns whether the file was read, and whether the content is `text` and no more
   */
  private async rebase(
    document: vscode.TextDocument,
    text?: string,
  ): Promise<{ read: boolean; exact: boolean }> {
    const uri = document.uri.toString();
    const no = { read: false, exact: false };
    if (this.busy.has(uri)) {
      return no;
    }
    this.busy.add(uri);
    const disk = [await textOnDisk(document)];
    const ends = eolOf(document); // the file may have others
    const before = document.getText();
    const wanted = text === undefined ? before : sameEnds(document, text);
    const carets = caretsOf(document);
    const texts = [before];
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && event.contentChanges.length > 0) {
        texts.push(withEnds(document.getText(), ends));
      }
    });
    try {
      if (disk[0] === undefined || !isInFront(document)) {
        return no;
      }
      await vscode.commands.executeCommand(revert);
      // Where a key came before the file was read, VS Code keeps the text and does not read it.
      // Events do not tell which it was: the text of the file does, which may have changed.
      disk.push(await textOnDisk(document));
      const read = texts.findIndex((one) => disk.some((d) => d !== undefined && sameText(one, d)));
      if (read < 0) {
        return no;
      }
      const last = texts[Math.max(read - 1, 0)] as string;
      const mine = { text: carry(before, last, wanted), carets: new Map(carets) };
      for (const [editor, caret] of carets) {
        mine.carets.set(editor, follow(last, mine.text, typedAt(before, last, caret)));
      }
      await this.putBack(document, texts[read] as string, mine, ends);
      return { read: true, exact: mine.text === wanted };
    } finally {
      listener.dispose();
      this.busy.delete(uri);
    }
  }

  /**
   * Makes a text the content of a document that has just been read anew as `read`. What is typed
   * until that is done is not lost, and not put where the cursor happened to be on the way.
   * Changes `mine` by that.
   */
  private async putBack(
    document: vscode.TextDocument,
    read: string,
    mine: Mine,
    ends: Ends,
  ): Promise<void> {
    let known = read;
    for (const deadline = Date.now() + rebaseWait; !document.isClosed; ) {
      if (eolOf(document) !== ends) {
        await turnEnds(document, ends);
      }
      const now = withEnds(document.getText(), ends);
      type(mine, known, now);
      known = now;
      if (now === mine.text) {
        if (!placeCarets(document, mine)) {
          return;
        }
        await roundTrip(); // keys that came before the cursor was there
      } else if (await replaceText(document, mine.text)) {
        known = mine.text;
      } else if (Date.now() > deadline) {
        break; // edits are refused if a key came before; nobody types that fast for so long
      }
    }
    this.output.error(`${document.uri}: no edit was taken after its file was read anew`);
    void vscode.window.showErrorMessage(
      `${document.uri.fsPath}: the unsaved text could not be put back after the file was read anew. Undo brings it back.`,
    );
  }
}

/** Whether a document reads as its file does, or that cannot be told. */
async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const text = document.getText();
  const disk = await textOnDisk(document);
  return disk === undefined || sameText(text, disk);
}

/** Whether a document has the line ends of a text, if that has them of one kind. */
function hasEnds(document: vscode.TextDocument, text: string): boolean {
  const ends = endsOf(text);
  return ends === undefined || ends === 'mixed' || ends === eolOf(document);
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

/** The text a document is to have, and where the cursors of its editors are to be, as offsets. */
interface Mine {
  text: string;
  carets: Map<vscode.TextEditor, number>;
}

/** The cursors of a document's editors, of those that have one cursor and no selection. */
function caretsOf(document: vscode.TextDocument): Map<vscode.TextEditor, number> {
  return new Map(
    vscode.window.visibleTextEditors
      .filter(({ document: of, selections }) => of === document && selections.length === 1)
      .filter(({ selection }) => selection.isEmpty)
      .map((editor) => [editor, document.offsetAt(editor.selection.active)]),
  );
}

/** Takes over what was typed between two texts: at the cursor, if it is known which. */
function type(mine: Mine, from: string, to: string): void {
  if (from === to) {
    return;
  }
  const { start, end, insert } = difference(from, to);
  const active = vscode.window.activeTextEditor;
  const caret = active && mine.carets.get(active);
  const text =
    start === end && caret !== undefined
      ? mine.text.slice(0, caret) + insert + mine.text.slice(caret)
      : carry(from, to, mine.text);
  for (const [editor, at] of mine.carets) {
    const typing = editor === active && start === end;
    mine.carets.set(editor, typing ? at + insert.length : follow(mine.text, text, at));
  }
  mine.text = text;
}

/** Whether a cursor had to be moved. */
function placeCarets(document: vscode.TextDocument, { carets }: Mine): boolean {
  let moved = false;
  for (const [editor, offset] of carets) {
    const at = document.positionAt(offset);
    if (!editor.selection.active.isEqual(at)) {
      editor.selection = new vscode.Selection(at, at);
      moved = true;
    }
  }
  return moved;
}

async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  try {
    const bytes = await fs.readFile(document.uri.fsPath);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
      return text.replace(/^\uFEFF/, '');
    }
  } catch {
    return undefined; // gone, or binary: VS Code knows better what to do
  }
}
