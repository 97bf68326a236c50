/**
 * What acp-ls asks of documents: acp/save, acp/reload and acp/base.
 *
 * VS Code reads files anew by itself where nothing is unsaved, and keeps what it last saw of the
 * disk to itself. A document with unsaved text into which acp-ls has merged what the file has by
 * now is newer than the file, but VS Code, who does not know of that, would ask the user at the
 * next save. It compares the time and the length that the file had: a file that is no newer than
 * what it knows it writes over. So just before a save the file is made old, if it still has what
 * the document contains. The one other way, to have VS Code revert to the file and to put the
 * text back, takes from the user what they could redo, shows the file's text for a moment, and
 * mixes up keys that come then.
 *
 * A document whose save VS Code has refused is not auto saved any more until it has been saved, and
 * has nothing unsaved then: if the user types while that save is made, not even after it. Such a
 * document is saved for auto save, when the user rests.
 */
import { statSync, utimesSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Requests } from './contract';
import { find, isInFront } from './edits';
import { bytesOnDisk, hasHash, hashIfHas, hashOf, isAsOnDisk, readsAnew } from './onDisk';
import { type Files, isUnsaved, type Saves } from './saves';

const memoryKey = 'documents.bases';

/** A save that has not ended so long after what the disk has was merged has been refused. */
const afterAll = 500;

/** A save that the user has asked for and that was refused longer ago is not made after all. */
const lately = 10_000;

/** How much later than auto save would a document is saved for it, in milliseconds: it goes first. */
const afterAuto = 500;

/** How often that is tried without that the document has changed, or what is known of its file. */
const mostTries = 3;

/** What a file is dated to so that VS Code does not take it for newer, in milliseconds. */
const old = 1000;

/** A file that was made old has its time again if it was not written by then: a save has failed. */
const longest = 3000;

/** That a document was to be saved, and has not been since. */
interface Wanted {
  reason: vscode.TextDocumentSaveReason;
  at: number;
  /** VS Code may have refused it: what the disk has was merged after it. */
  refused: boolean;
  /** How often it was tried again. */
  tries: number;
}

export class Documents implements vscode.Disposable, Files {
  private readonly disposables: vscode.Disposable[] = [];
  /** Hashes of what the files had that is in documents with unsaved text, by URI. */
  private readonly bases: Map<string, string>;
  /** Documents that are being saved after all, by URI. */
  private readonly saving = new Set<string>();
  /** By URI. */
  private readonly wanted = new Map<string, Wanted>();
  /** What gives files their times again that were made old, at once. */
  private readonly aged = new Set<() => void>();
  /** Documents that are saved when the user rests, by URI. */
  private readonly resting = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly saves: Saves,
    /** What is unsaved outlives the window, and what its files had has to. */
    private readonly memory: vscode.Memento,
  ) {
    this.bases = new Map(memory.get<[string, string][]>(memoryKey));
    saves.files = this;
    const forget = ({ uri }: vscode.TextDocument) => {
      this.setBase(uri, undefined);
      this.unwant(uri);
    };
    const saved = (document: vscode.TextDocument) => {
      const uri = document.uri.toString();
      const refused = this.wanted.get(uri)?.refused === true;
      this.unwant(document.uri);
      if (
        refused &&
        this.saves.fileHas(document) !== 'this' &&
        autoSaveOf(document) !== undefined
      ) {
        this.goOn(document);
        return;
      }
      // What came to the file after VS Code had written it, and before it says so, it has not seen.
      if (!hasHash(document, this.bases.get(uri))) {
        this.setBase(document.uri, undefined);
      }
    };
    this.disposables.push(
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        const uri = document.uri.toString();
        if (!this.saving.has(uri)) {
          const refused = this.wanted.get(uri)?.refused === true;
          this.wanted.set(uri, { reason, at: Date.now(), refused, tries: 0 });
        }
      }),
      vscode.workspace.onDidSaveTextDocument(saved),
      vscode.workspace.onDidCloseTextDocument(forget),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!document.isDirty) {
          void this.noteRead(document, contentChanges.length > 0);
        }
        if (contentChanges.length > 0) {
          this.saveAtRest(document, true);
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined) {
          this.saveAtRest(editor.document, true);
        }
      }),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
    for (const timer of this.resting.values()) {
      clearTimeout(timer);
    }
    for (const restore of [...this.aged]) {
      restore(); // nobody would, after this
    }
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
    if (document.isDirty && version !== undefined && document.version !== version) {
      return { saved: false, reason: 'the document has changed meanwhile' };
    }
    if (await this.saves.save(document, format !== false)) {
      return { saved: true };
    }
    const reason = this.saves.whyFailed(document);
    return format === false ? { saved: false } : { saved: false, reason };
  }

  /** Waits until VS Code has read the file anew, which it does by itself. */
  async reload({ uri }: { uri: string }): Promise<Requests['acp/reload']['result']> {
    const document = find(uri);
    if (document === undefined || document.isDirty) {
      return { reloaded: false };
    }
    const reloaded = await readsAnew(document);
    if (reloaded) {
      // The same text in other bytes, as of other line ends, VS Code may be yet to read, and says nothing then.
      await this.noteRead(document, true);
    }
    return { reloaded };
  }

  /** Has saving be no conflict as long as the file has what `disk` is the hash of. */
  base({ uri, version, disk }: Requests['acp/base']['params']): Requests['acp/base']['result'] {
    const document = find(uri);
    if (document === undefined || document.isUntitled || document.version < version) {
      return { based: false };
    }
    this.setBase(document.uri, disk);
    this.saves.knows(document);
    const wanted = this.wanted.get(document.uri.toString());
    if (wanted !== undefined) {
      wanted.refused = true;
      wanted.tries = 0;
    }
    void this.saveIfAsOnDisk(document);
    setTimeout(() => void this.saveAfterAll(document), afterAll);
    return { based: true };
  }

  /**
   * VS Code has refused to save a document whose file was newer, which says so, and saves it by
   * itself no more. It can be saved now; or, if the agent has written on, the next time: what was
   * wanted is so until it is done.
   */
  private async saveAfterAll(document: vscode.TextDocument): Promise<void> {
    const uri = document.uri.toString();
    const wanted = this.wanted.get(uri);
    if (
      wanted === undefined ||
      document.isClosed ||
      !this.isBased(document) ||
      !isUnsaved(document)
    ) {
      return;
    }
    let byUser = wanted.reason === vscode.TextDocumentSaveReason.Manual;
    if (byUser && Date.now() - wanted.at > lately) {
      if (autoSaveOf(document) === undefined) {
        this.unwant(document.uri);
        return;
      }
      byUser = false;
    }
    const formats = vscode.workspace.getConfiguration('editor', document).get('formatOnSave');
    this.saving.add(uri);
    try {
      if (byUser || formats !== true) {
        await document.save();
      } else if (isInFront(document)) {
        await this.saves.saveUnformatted(document);
      }
    } finally {
      this.saving.delete(uri);
    }
    this.saveAtRest(document, false);
  }

  /**
   * The user has typed while a document was written that VS Code has refused to save before: it
   * still does not auto save it.
   */
  private goOn(document: vscode.TextDocument): void {
    const { AfterDelay } = vscode.TextDocumentSaveReason;
    this.wanted.set(document.uri.toString(), {
      reason: AfterDelay,
      at: Date.now(),
      refused: true,
      tries: 0,
    });
    // What is none of it is merged, and told of by acp/base.
    const bytes = this.saves.fileHas(document) === 'earlier' ? bytesOnDisk(document) : undefined;
    this.setBase(document.uri, bytes && hashOf(bytes));
    this.saveAtRest(document, true);
  }

  /** Saves a document that is not auto saved any more a moment after auto save would. */
  private saveAtRest(document: vscode.TextDocument, changed: boolean): void {
    const uri = document.uri.toString();
    const wanted = this.wanted.get(uri);
    const delay = autoSaveOf(document);
    if (wanted?.refused !== true || delay === undefined) {
      return;
    }
    wanted.tries = changed ? 0 : wanted.tries + 1;
    clearTimeout(this.resting.get(uri));
    this.resting.delete(uri);
    if (wanted.tries < mostTries) {
      const rests = setTimeout(() => {
        this.resting.delete(uri);
        void this.saveIfKnown(document);
      }, delay + afterAuto);
      this.resting.set(uri, rests);
    }
  }

  private async saveIfKnown(document: vscode.TextDocument): Promise<void> {
    if (hasHash(document, this.bases.get(document.uri.toString()))) {
      await this.saveAfterAll(document);
    }
  }

  private unwant(uri: vscode.Uri): void {
    const of = uri.toString();
    this.wanted.delete(of);
    clearTimeout(this.resting.get(of));
    this.resting.delete(of);
  }

  /**
   * A document that only has what its file has, which VS Code was late to read, is not unsaved. Nor is
   * one that VS Code has just written and says nothing of yet: the end of that save is waited for. Where
   * it says nothing before it either (Save without Formatting), VS Code itself knows that it saves it.
   */
  private async saveIfAsOnDisk(document: vscode.TextDocument): Promise<void> {
    await this.saves.ended([document.uri.toString()]);
    const { version } = document;
    if ((await isAsOnDisk(document)) && document.isDirty && document.version === version) {
      await this.saves.saveOnce(document);
    }
  }

  /** Whether acp-ls has said that a document contains what its file had, and nothing was saved since. */
  isBased({ uri }: vscode.TextDocument): boolean {
    return this.bases.has(uri.toString());
  }

  keeps(document: vscode.TextDocument, bytes: Uint8Array): void {
    this.setBase(document.uri, hashOf(bytes));
  }

  /** Makes the file of a document old that is about to be saved, if all it has is in the document. */
  async letSave(document: vscode.TextDocument): Promise<void> {
    const hash = this.bases.get(document.uri.toString());
    if (hash === undefined || !hasHash(document, hash)) {
      return;
    }
    const file = document.uri.fsPath;
    try {
      // All at once: what is written to the file from here on has a time of its own.
      const { atime, mtime } = statSync(file);
      if (mtime.getTime() === old) {
        return;
      }
      utimesSync(file, atime, new Date(old));
      if (!hasHash(document, hash)) {
        utimesSync(file, atime, new Date()); // it was written just before
        return;
      }
      const restore = (): void => {
        clearTimeout(timer);
        this.aged.delete(restore);
        this.restoreTime(document, hash, atime, mtime);
      };
      const timer = setTimeout(restore, longest);
      this.aged.add(restore);
    } catch (err) {
      this.output.warn(`${file}: its time cannot be set: ${err}`);
      void vscode.window.showInformationMessage(
        `${vscode.workspace.asRelativePath(document.uri)}: what an agent wrote on disk is in your ` +
          'text already. If VS Code says that the file is newer, overwriting it loses nothing.',
      );
    }
  }

  /**
   * Gives a file its time again that was not written. VS Code may have looked at it meanwhile, and finds it
   * newer than that at the next save: that is no conflict either, as the document contains what it has.
   */
  private restoreTime(document: vscode.TextDocument, hash: string, atime: Date, mtime: Date): void {
    const file = document.uri.fsPath;
    try {
      if (statSync(file).mtime.getTime() !== old) {
        return;
      }
      utimesSync(file, atime, mtime);
      if (!document.isClosed && !this.isBased(document) && hasHash(document, hash)) {
        this.setBase(document.uri, hash);
      }
    } catch {
      // gone, or somebody else's by now
    }
  }

  /**
   * VS Code, when it has read a file anew, knows the time and the length that this had just before: by
   * these a file that was written twice in one go stays newer than what was read, until it is looked
   * at again, which it is not if the document is changed by then. But what was read is in there.
   */
  private async noteRead(document: vscode.TextDocument, changed: boolean): Promise<void> {
    // Elsewhere no agent works, as in VS Code's own settings; and what has not changed was written.
    const read = changed && vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
    if (!read && !this.isBased(document)) {
      return;
    }
    const hash = await hashIfHas(document, document.getText());
    if (hash !== undefined && (read || !document.isDirty)) {
      this.setBase(document.uri, read ? hash : undefined);
    }
  }

  private setBase(uri: vscode.Uri, hash: string | undefined): void {
    const of = uri.toString();
    if (this.bases.get(of) === hash) {
      return;
    }
    if (hash === undefined) {
      this.bases.delete(of);
    } else {
      this.bases.set(of, hash);
    }
    void this.memory.update(memoryKey, [...this.bases]);
  }
}

/** How long after a change VS Code saves a document by itself; undefined if it does not. */
function autoSaveOf(document: vscode.TextDocument): number | undefined {
  const files = vscode.workspace.getConfiguration('files', document);
  return files.get('autoSave', 'off') === 'off' ? undefined : files.get('autoSaveDelay', 1000);
}
