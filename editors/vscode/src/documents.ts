/**
 * What acp-ls asks of documents: acp/save, acp/reload and acp/adopt.
 *
 * VS Code reads files anew by itself and keeps what it last saw of the disk to itself. The one
 * way to make the disk's state the base of a document with unsaved text is the command *Revert
 * File*, which works on the document that is in front. For others, and while the user types,
 * acp-ls is told that it cannot be done: it then edits the document, and the base is put right
 * when the user next looks at it, so that saving is no conflict. Until acp-ls has made its edit,
 * the base stays as it is: better a conflict than a change of the disk's that is overwritten. For
 * the same reason only that becomes the base of which acp-ls has said that it is in the text.
 */
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
import { hasEnds, hasHash, isAsOnDisk, onDisk, textOnDisk } from './onDisk';
import type { Passing } from './passing';
import { mayHaveFailed, type Saves } from './saves';
import { carry, difference, follow, sameText, typedAt } from './text';

/** How long VS Code is given to notice that a file has changed. acp-ls takes two seconds for
 * long enough, and edits the document then. */
const reloadWait = 1500;

/** How long it is tried to put a document's text back. */
const rebaseWait = 10_000;

/** A document is not read anew while the user types: not for so long after a key. */
const quiet = 1500;

const revert = 'workbench.action.files.revert';

/** A document whose base is older than what the disk has. */
interface Behind {
  /** Whether the text contains what has changed on disk. */
  state: 'waiting' | 'merged';
  /** Of what the disk had then; undefined if acp-ls does not say. */
  hash: string | undefined;
}

export class Documents implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];
  /** Documents whose base is older than what the disk has, by URI. */
  private readonly behind = new Map<string, Behind>();
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
    private readonly passing: Passing,
  ) {
    this.disposables.push(
      this.right,
      vscode.window.onDidChangeActiveTextEditor(() => void this.putRight()),
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
  async adopt({ uri, version, text, disk }: Requests['acp/adopt']['params']): Promise<{
    adopted: boolean;
  }> {
    await this.passing.ended([uri]);
    const document = find(uri);
    if (document === undefined) {
      return { adopted: false };
    }
    const is = (state: Behind['state']) =>
      this.behind.set(document.uri.toString(), { state, hash: disk });
    if (!document.isDirty) {
      // VS Code would have read it anew by now, if it watched the file: an edit of acp-ls will.
      is('waiting');
      await this.forgetIfRead(document);
      return { adopted: false };
    }
    const quietly = this.typing.ago() >= quiet && isInFront(document);
    if (document.version === version && quietly) {
      if (await this.rebase(document, disk, text)) {
        return { adopted: true };
      }
    }
    const contained =
      document.version === version && sameEnds(document, text) === document.getText();
    is(contained ? 'merged' : 'waiting');
    void this.putRight();
    return { adopted: false };
  }

  /** An edit of acp-ls was applied. */
  applied(uris: string[]): void {
    for (const uri of uris.map((spelled) => vscode.Uri.parse(spelled).toString())) {
      const behind = this.behind.get(uri);
      if (behind !== undefined) {
        behind.state = 'merged';
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
  explain(document: vscode.TextDocument): void {
    const behind = this.behind.get(document.uri.toString());
    if (behind?.state === 'merged' && hasHash(document, behind.hash)) {
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
    if (document === undefined || uri === undefined || this.behind.get(uri)?.state !== 'merged') {
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
    } else if (!(await this.rebase(document, this.behind.get(uri)?.hash)) && isInFront(document)) {
      // A key came before, or the disk has gone on: acp-ls will have it merged.
      this.timer = setTimeout(() => void this.putRight(), quiet);
    }
  }

  /**
   * Reads the file of the document in front anew if it has what `hash` is of, and then makes `text`
   * the content, by default that which there is. What the user types meanwhile is kept. acp-ls is
   * told of nothing but `text`, and what was typed, and so merges what the disk may have by then.
   * @returns whether the file was read
   */
  private async rebase(
    document: vscode.TextDocument,
    hash: string | undefined,
    text?: string,
  ): Promise<boolean> {
    const uri = document.uri.toString();
    if (this.busy.has(uri) || this.saves.isUnderWay(document)) {
      return false;
    }
    this.busy.add(uri);
    let through: string[] = [];
    let listener: vscode.Disposable | undefined;
    try {
      const merged = await onDisk(document);
      if (merged === undefined || (hash ?? merged.hash) !== merged.hash || !isInFront(document)) {
        return false;
      }
      const ends = eolOf(document); // the file may have others
      const before = document.getText();
      const wanted = text === undefined ? before : sameEnds(document, text);
      const carets = caretsOf(document);
      const texts = [before];
      this.passing.begin(document);
      listener = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0) {
          texts.push(withEnds(document.getText(), ends));
        }
      });
      await vscode.commands.executeCommand(revert);
      // Where a key came before the file was read, VS Code keeps the text and does not read it.
      // Events do not tell which it was: the text of the file does, which may have changed.
      const disk = [merged.text, await textOnDisk(document)];
      const read = texts.findIndex((one) => disk.some((d) => d !== undefined && sameText(one, d)));
      if (read < 0) {
        return false;
      }
      const last = texts[Math.max(read - 1, 0)] as string;
      const mine = { text: carry(before, last, wanted), carets: new Map(carets) };
      for (const [editor, caret] of carets) {
        mine.carets.set(editor, follow(last, mine.text, typedAt(before, last, caret)));
      }
      through = [wanted];
      await this.putBack(document, texts[read] as string, mine, ends);
      if (sameText(texts[read] as string, merged.text)) {
        this.behind.delete(uri);
      } else {
        this.behind.set(uri, { state: 'waiting', hash: undefined }); // acp-ls is yet to merge that
      }
      return true;
    } finally {
      listener?.dispose();
      this.busy.delete(uri);
      await this.passing.end(document, ...through);
      if (!this.behind.has(uri)) {
        this.right.fire();
      }
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
