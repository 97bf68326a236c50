/**
 * Saves that are under way. While VS Code writes a file its document can be changed; it then says
 * that the document was saved and has no unsaved changes, and neither is so. Whoever believes
 * that takes what the file holds for newer, and what was typed for lost. Therefore edits of
 * acp-ls wait for a save to end, and acp-ls is told if the document has gone on. Where its user
 * has undone and redone meanwhile VS Code takes it for saved, which is made so.
 *
 * VS Code takes a file that has changed and is as long as before for unchanged, and writes over it
 * without asking. So while an agent works acp-ls looks at the file first: its edits of before then
 * do not wait. What comes to the file between that and VS Code's writing is not seen.
 *
 * A save that acp-ls asks for may change the document: a formatter runs, or what else the user has
 * set. acp-ls is told which changes these are, and which are the user's.
 *
 * While that runs, for whichever save, VS Code refuses to save the document for another: it says at
 * once that this is not saved, and saves it in the end. That end is waited for.
 */
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { isInFront, replaceText, roundTrip } from './edits';
import { bytesOf, hashOf, isAsOnDisk, readsAnew } from './onDisk';
import { difference, lf, sameText } from './text';

/** The command that saves the document in front as it is. */
const unformatted = 'workbench.action.files.saveWithoutFormatting';

/**
 * A save that fails is not told of: after so long nothing waits for it. It may be slow all the same,
 * on a busy machine or over a network, or as what runs on save is.
 */
const longest = 3000;

/** How long a save waits for acp-ls, in milliseconds: VS Code waits no longer than 1750. */
const longestLook = 1000;

/** Documents that are left unsaved within so long of each other are told of at once. */
const together = 500;

/** Why a save may have failed of which VS Code says nothing. */
const mayHaveFailed = 'what runs on save, as a formatter, may have failed';

/** Why VS Code has refused to save it, and asks the user about. */
const isNewer = 'its file has changed on disk meanwhile';

/** How many texts are known of a document that is being saved, or was not: the latest. */
const mostTexts = 64;

/** How often a document is saved for acp-ls, each time after a save of another's has ended. */
const mostTries = 3;

/** What has come of a save: if it is left, the user has typed meanwhile and saves it with that. */
type Outcome = 'saved' | 'left' | 'failed';

/** What a file has that was written: the text of its document, one of before, or something else. */
type Written = 'this' | 'earlier' | 'other';

/** What is known of the files of documents. */
export interface Files {
  /** Makes the file of a document old that is about to be saved, if all it has is in the document. */
  letSave(document: vscode.TextDocument): Promise<void>;
  /** Has saving a document be no conflict as long as its file has these bytes. */
  keeps(document: vscode.TextDocument, bytes: Uint8Array): void;
}

interface Save {
  version: number;
  /** Hashes of what the document had before it went on. */
  texts: string[];
  ended: Promise<void>;
  end(): void;
}

export class Saves implements vscode.Disposable {
  private readonly underWay = new Map<string, Save>();
  /** Saves that nothing waits for any more, and of which VS Code may yet tell, by URI. */
  private readonly late = new Map<string, Save>();
  /** Saves that VS Code has just told of, by URI. */
  private readonly told = new Map<string, Save>();
  /** Saves that acp-ls looks at the file before, by URI. */
  private readonly looking = new Set<string>();
  /** How many saves of a document acp-ls waits for, by URI. */
  private readonly asked = new Map<string, number>();
  /** Names of documents that were left unsaved, which the user has not been told of yet. */
  private readonly left = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** Documents that VS Code did not save for acp-ls, of which the user has been told. */
  private readonly failed = new Set<string>();
  /** How long the files of documents were, as VS Code knows them, by URI: when something became unsaved. */
  private readonly sizes = new Map<string, number | undefined>();
  private readonly failure = new vscode.EventEmitter<vscode.TextDocument>();
  /** The user is told that a document was not saved. */
  readonly onDidFail = this.failure.event;
  files: Files | undefined;
  private readonly disposables: vscode.Disposable[];

  constructor() {
    this.disposables = [
      this.failure,
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.forget(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)),
      vscode.workspace.onWillSaveTextDocument(({ document }) => this.begin(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!document.isDirty || !this.sizes.has(document.uri.toString())) {
          this.knows(document);
        }
        const save = this.known(document.uri);
        if (save !== undefined && contentChanges.length > 0) {
          note(save, document);
        }
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const save = this.known(uri);
        if (save !== undefined) {
          this.told.set(uri.toString(), save);
        }
        this.end(uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.end(uri);
        this.told.delete(uri.toString());
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
    for (const save of this.underWay.values()) {
      save.end();
    }
  }

  /** Saves a document for acp-ls, as the user would, or with the text that it has. */
  save(document: vscode.TextDocument, format: boolean): Promise<boolean> {
    return this.saveBy(document, () =>
      format ? this.saveOrTell(document) : this.saveAsItIs(document),
    );
  }

  /**
   * Saves a document with the text that it has, unless VS Code is doing that, or has. The command for
   * the document in front would have VS Code write it again: the file has another time then, or is read
   * while it is empty. If it is not saved nothing is lost, and nothing said.
   */
  saveOnce(document: vscode.TextDocument): Promise<boolean> {
    const save = async (): Promise<boolean> =>
      (await this.attempt(document, () => document.save())) === 'saved';
    return this.saveBy(document, () => this.saveAndTakeBack(document, save));
  }

  private async saveBy(
    document: vscode.TextDocument,
    act: () => Promise<boolean>,
  ): Promise<boolean> {
    const uri = document.uri.toString();
    this.asked.set(uri, (this.asked.get(uri) ?? 0) + 1);
    this.begin(document);
    try {
      return await act();
    } finally {
      this.endOrLeave(document);
      const left = (this.asked.get(uri) ?? 1) - 1;
      if (left > 0) {
        this.asked.set(uri, left);
      } else {
        this.asked.delete(uri);
      }
    }
  }

  private forget(uri: vscode.Uri): void {
    this.failed.delete(uri.toString());
    this.sizes.delete(uri.toString());
  }

  /** Notes that what the file of a document has is no news to VS Code, or is none that it asks about. */
  knows({ uri }: vscode.TextDocument): void {
    this.sizes.set(uri.toString(), sizeOf(uri));
  }

  /** Why a document may not have been saved. VS Code refuses where the file is another one than it knows, and asks. */
  whyFailed({ uri }: vscode.TextDocument): string {
    const of = uri.toString();
    return this.sizes.has(of) && this.sizes.get(of) !== sizeOf(uri) ? isNewer : mayHaveFailed;
  }

  /** Whether a document is being saved for acp-ls. */
  isAsked({ uri }: vscode.TextDocument): boolean {
    return this.asked.has(uri.toString());
  }

  /**
   * Whether a change was made by a save that acp-ls has asked for, and not by the user, who types,
   * and undoes: what is done at all of its places to where a cursor is.
   */
  made({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): boolean {
    if (!this.asked.has(document.uri.toString()) || reason !== undefined) {
      return false;
    }
    if (endsFile(document, contentChanges)) {
      return true;
    }
    const carets = vscode.window.visibleTextEditors
      .filter((editor) => editor.document === document)
      .flatMap(({ selections }) => selections);
    // Where the cursors are now is told of before the change or after it.
    const offsets = carets.map(({ active }) => document.offsetAt(active));
    let shift = 0;
    return ![...contentChanges]
      .sort((a, b) => a.rangeOffset - b.rangeOffset)
      .every(({ range, rangeOffset, rangeLength, text }) => {
        const start = rangeOffset + shift;
        shift += text.length - rangeLength;
        return (
          carets.some((caret) => caret.intersection(range) !== undefined) ||
          offsets.some((offset) => offset >= start && offset <= start + text.length)
        );
      });
  }

  /**
   * VS Code can save only the document in front without formatting it. In another one what has
   * been formatted is taken back, unless the user has typed meanwhile: before it is written if
   * formatters have run before VS Code says that it will save, which differs from start to start;
   * else after it, on disk, from where VS Code reads it anew. If it does not, the document is left
   * unsaved, with the text that its file has.
   * @returns whether the file holds the text
   */
  private async saveAsItIs(document: vscode.TextDocument): Promise<boolean> {
    if (document.isDirty && isInFront(document)) {
      const outcome = await this.attempt(document, () => this.saveUnformatted(document));
      if (outcome !== 'failed') {
        return outcome === 'saved';
      }
    }
    return this.saveAndTakeBack(document, () => this.saveOrTell(document));
  }

  private async saveAndTakeBack(
    document: vscode.TextDocument,
    save: () => Promise<boolean>,
  ): Promise<boolean> {
    const text = document.getText();
    let typed = false;
    const listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        typed ||=
          event.document === document && event.contentChanges.length > 0 && !this.made(event);
      }),
      vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document === document && !typed && document.getText() !== text) {
          event.waitUntil(Promise.resolve([backTo(document, text)]));
        }
      }),
    ];
    try {
      const saved = await save();
      const other = (): boolean => !typed && !document.isClosed && document.getText() !== text;
      if (!saved || !other()) {
        return saved;
      }
      if (await this.putBack(document, text)) {
        return true;
      }
      for (let tries = 0; other() && tries < 10; tries++) {
        await replaceText(document, text); // refused if it has changed meanwhile
      }
      if (document.getText() === text) {
        this.tell(document);
      }
      return false;
    } finally {
      vscode.Disposable.from(...listeners).dispose();
    }
  }

  /**
   * Gives the file of a document that was saved, but formatted, the text that this had, and waits
   * until VS Code has read that, which it does as nothing is unsaved.
   */
  private async putBack(document: vscode.TextDocument, text: string): Promise<boolean> {
    const bytes = bytesOf(document, text);
    if (bytes === undefined || !(await isAsOnDisk(document)) || document.isDirty) {
      return false;
    }
    try {
      // If VS Code has yet to tell of the save, this is not what was saved.
      this.told.delete(document.uri.toString());
      fs.writeFileSync(document.uri.fsPath, bytes);
    } catch {
      return false; // it may not be written any more
    }
    this.files?.keeps(document, bytes); // if it is typed in before VS Code has read that
    return (await readsAnew(document)) && document.getText() === text;
  }

  /** Saves a document as it is, if it is in front. What else is asked before a save is not here. */
  async saveUnformatted(document: vscode.TextDocument): Promise<void> {
    const own = !this.underWay.has(document.uri.toString());
    this.begin(document); // VS Code tells of no such save before it
    try {
      await this.files?.letSave(document);
      if (isInFront(document)) {
        await vscode.commands.executeCommand(unformatted);
      }
    } finally {
      if (own) {
        this.endOrLeave(document);
      }
    }
  }

  /** Has VS Code save a document by `act`: again, if it refuses as it is at a save of another's. */
  private async attempt(
    document: vscode.TextDocument,
    act: () => Thenable<unknown>,
  ): Promise<Outcome> {
    for (let tries = 1; ; tries++) {
      const watch = this.watch(document);
      try {
        if ((await act()) === true) {
          return 'saved';
        }
        if (!document.isDirty) {
          return watch.isTyped() ? 'left' : 'saved'; // VS Code calls it so also if it is typed in
        }
        const known = this.failed.has(document.uri.toString()); // nothing else is waited for again
        if (watch.hasRun() || document.isClosed || tries === mostTries || known) {
          return watch.isTyped() ? 'left' : 'failed';
        }
        if (!(await watch.ended)) {
          return watch.isTyped() ? 'left' : 'failed';
        }
        if (!document.isDirty) {
          return 'saved';
        }
        if (watch.isTyped()) {
          return 'left';
        }
      } finally {
        watch.dispose();
      }
    }
  }

  /** Looks at what becomes of a document while it is being saved. */
  private watch(document: vscode.TextDocument): {
    /** Whether the save is one that acp-ls has asked for, and has not come to its end. */
    hasRun(): boolean;
    /** Whether the user has typed. */
    isTyped(): boolean;
    /** Resolves when VS Code tells of a save; with false after so long that there is none. */
    ended: Promise<boolean>;
    dispose(): void;
  } {
    let ran = false;
    let typed = false;
    let saved = false;
    let end: (told: boolean) => void = () => undefined;
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const timer = setTimeout(() => end(false), longest);
    const listeners = [
      vscode.workspace.onWillSaveTextDocument((event) => {
        ran ||=
          event.document === document && event.reason === vscode.TextDocumentSaveReason.Manual;
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        typed ||=
          event.document === document && event.contentChanges.length > 0 && !this.made(event);
      }),
      vscode.workspace.onDidSaveTextDocument((one) => {
        if (one === document) {
          saved = true;
          end(true);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((one) => one === document && end(false)),
    ];
    return {
      hasRun: () => ran && !saved,
      isTyped: () => typed,
      ended,
      dispose: () => {
        clearTimeout(timer);
        vscode.Disposable.from(...listeners).dispose();
      },
    };
  }

  /** Says, once, if a document was not saved: VS Code does not where a formatter has given up. */
  private async saveOrTell(document: vscode.TextDocument): Promise<boolean> {
    const outcome = await this.attempt(document, () => document.save());
    const uri = document.uri.toString();
    if (outcome !== 'failed' || !document.isDirty || this.failed.has(uri)) {
      return outcome === 'saved';
    }
    const why = this.whyFailed(document);
    if (why === isNewer) {
      return false; // VS Code says it, and asks what is to be done
    }
    this.failed.add(uri);
    this.failure.fire(document);
    void vscode.window.showWarningMessage(
      `${vscode.workspace.asRelativePath(document.uri)} is not saved: ${why}.`,
    );
    return false;
  }

  /** Says that a document was left unsaved. */
  private tell({ uri }: vscode.TextDocument): void {
    this.left.add(vscode.workspace.asRelativePath(uri));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const names = [...this.left].join(', ');
      this.left.clear();
      void vscode.window.showInformationMessage(
        `Left unsaved, because saving formats it: ${names}. To save it as it is, use "Save without Formatting".`,
      );
    }, together);
  }

  /** Waits until none of some documents is being saved. */
  async ended(uris: string[]): Promise<void> {
    const saved = uris
      .map((uri) => vscode.Uri.parse(uri).toString())
      .filter((uri) => !this.looking.has(uri));
    await Promise.all(saved.map((uri) => this.underWay.get(uri)?.ended));
  }

  /** Has acp-ls look at the file of a document that VS Code, and not acp-ls, is about to save. */
  async look({ uri }: vscode.TextDocument, ask: () => Promise<unknown>): Promise<void> {
    const of = uri.toString();
    if (this.asked.has(of) || this.looking.has(of)) {
      return;
    }
    this.looking.add(of);
    let timer: NodeJS.Timeout | undefined;
    const long = new Promise((resolve) => {
      timer = setTimeout(resolve, longestLook);
    });
    try {
      await Promise.race([ask().catch(() => undefined), long]);
    } finally {
      clearTimeout(timer);
      this.looking.delete(of);
    }
  }

  /**
   * What the file of a document has that VS Code says was saved: its text, one that it had before
   * it went on, or something else.
   */
  written(document: vscode.TextDocument): Written {
    try {
      return this.fileHas(document);
    } finally {
      this.told.delete(document.uri.toString());
    }
  }

  /** The same, as often as it is asked before `written` is. */
  fileHas(document: vscode.TextDocument): Written {
    const save = this.told.get(document.uri.toString());
    if (save?.version === document.version) {
      return 'this';
    }
    if (!/^utf8/.test(document.encoding)) {
      return 'this'; // the file cannot be compared here
    }
    try {
      const file = new TextDecoder().decode(fs.readFileSync(document.uri.fsPath));
      if (sameText(document.getText(), file)) {
        return 'this';
      }
      return save?.texts.includes(hashOf(lf(file))) ? 'earlier' : 'other';
    } catch {
      return 'this'; // somewhere else, or gone already
    }
  }

  /**
   * Saves a document again whose file has an earlier text, if VS Code takes it for saved: it would
   * not, and what the user sees would be lost with the window. What formats on save has done so.
   */
  async again(document: vscode.TextDocument): Promise<void> {
    await roundTrip();
    if (document.isClosed || !seemsSaved(document)) {
      return;
    }
    if (isInFront(document)) {
      await this.saveUnformatted(document);
    } else if (!vscode.workspace.getConfiguration('editor', document).get('formatOnSave')) {
      await vscode.workspace.save(document.uri);
    }
  }

  private begin(document: vscode.TextDocument): void {
    const { uri, version } = document;
    const of = uri.toString();
    const underWay = this.underWay.get(of);
    if (underWay !== undefined) {
      underWay.version = version;
      note(underWay, document);
      return;
    }
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.leave(uri), longest);
      end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    // What is told next may be the end of the one before.
    const save = { version, texts: this.late.get(of)?.texts ?? [], ended, end };
    note(save, document);
    this.underWay.set(of, save);
  }

  /** The save that VS Code tells the end of, if it tells one. */
  private known(uri: vscode.Uri): Save | undefined {
    const of = uri.toString();
    return this.underWay.get(of) ?? this.late.get(of);
  }

  /** Has nothing wait for a save any more that VS Code has not told of. */
  private leave(uri: vscode.Uri): void {
    const save = this.underWay.get(uri.toString());
    if (save !== undefined) {
      this.end(uri);
      this.late.set(uri.toString(), save);
    }
  }

  /** The same, where acp-ls was to save a document, if that is unsaved: a save of another's may go on. */
  private endOrLeave(document: vscode.TextDocument): void {
    if (document.isDirty && !document.isClosed) {
      this.leave(document.uri);
    } else {
      this.end(document.uri);
    }
  }

  private end(uri: vscode.Uri): void {
    const of = uri.toString();
    this.underWay.get(of)?.end();
    this.underWay.delete(of);
    this.late.delete(of);
  }
}

/**
 * Whether VS Code takes a document for saved that it has just saved. What it says of the document
 * itself is so also where the user has typed on; its tabs know better.
 */
function seemsSaved(document: vscode.TextDocument): boolean {
  const tabs = tabsOf(document);
  return tabs.length > 0 && tabs.every(({ isDirty }) => !isDirty);
}

/** Whether a document has unsaved text, or its tabs say so. */
export function isUnsaved(document: vscode.TextDocument): boolean {
  return document.isDirty || tabsOf(document).some(({ isDirty }) => isDirty);
}

function tabsOf({ uri }: vscode.TextDocument): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => {
      return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
    });
}

function sizeOf({ fsPath }: vscode.Uri): number | undefined {
  try {
    return fs.statSync(fsPath).size;
  } catch {
    return undefined;
  }
}

/** Notes what a document has that is being saved: it may be what is written. */
function note({ texts }: Save, document: vscode.TextDocument): void {
  texts.push(hashOf(lf(document.getText())));
  texts.splice(0, texts.length - mostTexts);
}

/**
 * Whether a change is what the user has set for the end of files that are saved. A key may have
 * made it just before the save would have: the file is the same.
 */
function endsFile(
  document: vscode.TextDocument,
  [change, ...others]: readonly vscode.TextDocumentContentChangeEvent[],
): boolean {
  if (change === undefined || others.length > 0) {
    return false;
  }
  const { range, rangeOffset, rangeLength, text } = change;
  const now = document.getText();
  const end = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  if (rangeOffset + text.length !== now.length) {
    return false;
  }
  const rest = now.slice(0, rangeOffset);
  const files = vscode.workspace.getConfiguration('files', document);
  if (text === end) {
    const open = rangeLength === 0 && rest.slice(rest.lastIndexOf('\n') + 1).trim() !== '';
    return open && files.get('insertFinalNewline') === true;
  }
  const lines = range.end.line - range.start.line;
  const trims = text === '' && lines > 0 && rangeLength === lines * end.length;
  return trims && /[^\r\n]\r?\n$/.test(rest) && files.get('trimFinalNewlines') === true;
}

/** The edit that makes `text` the text of a document. */
function backTo(document: vscode.TextDocument, text: string): vscode.TextEdit {
  const { start, end, insert } = difference(document.getText(), text);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  return vscode.TextEdit.replace(range, insert);
}
