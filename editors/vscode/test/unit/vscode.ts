/** Stands for VS Code in tests that need none of it, or only what is told of documents. */
import * as fs from 'node:fs';

type Listener<T> = (event: T) => unknown;

export class Disposable {
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }
  constructor(readonly dispose: () => void) {}
}

export class EventEmitter<T> {
  private listeners: Listener<T>[] = [];
  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.push(listener);
    return new Disposable(() => {
      this.listeners = this.listeners.filter((one) => one !== listener);
    });
  };
  fire(event: T): void {
    for (const listener of this.listeners) {
      listener(event);
    }
  }
  dispose(): void {
    this.listeners = [];
  }
}

export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const EndOfLine = { LF: 1, CRLF: 2 };
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 };
export class TabInputText {
  constructor(readonly uri: FakeDocument['uri']) {}
}
export class TabInputTextDiff {}

interface Change {
  document: FakeDocument;
  contentChanges: object[];
  reason?: number;
}

/** What a test has VS Code tell. */
export const tell = {
  change: new EventEmitter<Change>(),
  willSave: new EventEmitter<{ document: FakeDocument; reason: number }>(),
  saved: new EventEmitter<FakeDocument>(),
  closed: new EventEmitter<FakeDocument>(),
};

/** What has been said to the user. */
export const said: string[] = [];
const say = async (message: string): Promise<undefined> => {
  said.push(message);
};

/** What of it the user answers by the button that it has. */
export const presses = new Set<string>();

/** What is chosen of a list: the test is the user. */
export const picks: { of: (items: Item[], options: Item) => unknown } = { of: () => undefined };
export interface Item {
  label?: string;
  description?: string;
  picked?: boolean;
  active?: boolean;
  placeHolder?: string;
}

export const Uri = {
  parse: (uri: string) => ({ fsPath: uri.replace('file://', ''), toString: () => uri }),
};

/** What the user has set, by its whole name. */
export const settings = new Map<string, unknown>();

export const workspace = {
  onDidChangeTextDocument: tell.change.event,
  onWillSaveTextDocument: tell.willSave.event,
  onDidSaveTextDocument: tell.saved.event,
  onDidCloseTextDocument: tell.closed.event,
  getWorkspaceFolder: () => ({}),
  asRelativePath: ({ fsPath }: { fsPath: string }): string => fsPath,
  textDocuments: [] as FakeDocument[],
  getConfiguration: (section: string) => ({
    get: (name: string, other?: unknown) => settings.get(`${section}.${name}`) ?? other,
  }),
};

export const window = {
  visibleTextEditors: [] as { document: FakeDocument }[],
  onDidChangeVisibleTextEditors: new EventEmitter<unknown>().event,
  onDidChangeActiveTextEditor: new EventEmitter<{ document: FakeDocument } | undefined>().event,
  tabGroups: {
    all: [],
    activeTabGroup: { activeTab: undefined as { input: unknown } | undefined },
  },
  showWarningMessage: async (message: string, _options?: unknown, button?: string) => {
    said.push(message);
    return presses.has(message) ? button : undefined;
  },
  showInformationMessage: say,
  showQuickPick: async (items: Item[], options: Item) => picks.of(items, options),
  createQuickPick: () => new FakeQuickPick(),
};

/** A list of which several can be chosen: of what is chosen `active` is what the keys have gone to. */
class FakeQuickPick {
  items: Item[] = [];
  selectedItems: Item[] = [];
  activeItems: Item[] = [];
  placeholder = '';
  private accepted = (): void => undefined;
  private hidden = (): void => undefined;
  onDidAccept(listener: () => void): void {
    this.accepted = listener;
  }
  onDidHide(listener: () => void): void {
    this.hidden = listener;
  }
  show(): void {
    const { selectedItems, placeholder: placeHolder } = this;
    const items = this.items.map((item) => ({ ...item, picked: selectedItems.includes(item) }));
    const chosen = picks.of(items, { placeHolder }) as Item[] | undefined;
    if (chosen === undefined) {
      this.hidden();
      return;
    }
    const own = (of: Item[]): Item[] =>
      this.items.filter((_, at) => of.includes(items[at] as Item));
    this.activeItems = own(chosen.filter(({ active }) => active));
    this.selectedItems = own(chosen.filter(({ active }) => !active));
    this.accepted();
  }
  dispose(): void {
    this.hidden();
  }
}

/** What is done when a command is executed. */
export const acts: { command: (id: string) => Promise<unknown> } = {
  command: async () => undefined,
};
/** The commands that are registered, by name. */
export const registered = new Map<string, () => unknown>();

export const commands = {
  executeCommand: (id: string) => acts.command(id),
  registerCommand: (id: string, run: () => unknown): Disposable => {
    registered.set(id, run);
    return new Disposable(() => registered.delete(id));
  },
};

/** One of several parts of a change: where it is does not matter here. */
const part = { range: {}, rangeOffset: 0, rangeLength: 0, text: '' };

/** A document, and what VS Code does when it is to be saved. */
export class FakeDocument {
  readonly uri: { fsPath: string; scheme: string; toString(): string };
  readonly encoding = 'utf8';
  readonly eol = EndOfLine.LF;
  readonly isUntitled = false;
  isClosed = false;
  isDirty = false;
  version = 1;
  save: () => Promise<boolean> = async () => this.write();

  constructor(
    file: string,
    private text: string,
  ) {
    this.uri = { fsPath: file, scheme: 'file', toString: () => `file://${file}` };
    fs.writeFileSync(file, text);
  }

  getText(): string {
    return this.text;
  }

  /** Somebody changes it; `reason` is one that only the user has, who undoes. */
  change(text: string, of: { reason?: number; reads?: boolean } = {}): void {
    this.text = text;
    this.version++;
    const { reason, reads } = of;
    tell.change.fire({ document: this, contentChanges: [part, part], ...(reason && { reason }) });
    this.isDirty = !reads;
  }

  /** Its text is written, and VS Code says so. */
  write(): boolean {
    fs.writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    tell.change.fire({ document: this, contentChanges: [] });
    tell.saved.fire(this);
    return true;
  }
}
