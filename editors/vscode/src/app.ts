/** What lives as long as the window: views, state, and the connection to acp-ls there is now. */
import * as vscode from 'vscode';
import { Away } from './away';
import { LastConversation } from './chat/before';
import { ChatController } from './chat/controller';
import { ChatModel } from './chat/model';
import type { ChangedFile } from './chat/protocol';
import { ChatView } from './chat/view';
import { registerCommands, warmUp } from './commands';
import type { Connection } from './connection';
import type { Commands, Decision } from './contract';
import { Cursors } from './cursors';
import { Documents } from './documents';
import { Typing } from './editor';
import { find } from './edits';
import { CommandError, isInterrupted, messageOf } from './errors';
import { handlersOf } from './handlers';
import { Lasting } from './lasting';
import { announce } from './notify';
import { Questions } from './questions';
import { Readings } from './readings';
import { Gone } from './review/aside';
import { inFront } from './review/changes';
import { Decorations } from './review/decorations';
import { Gutter } from './review/gutter';
import { Lenses } from './review/lenses';
import { changeOf } from './review/lines';
import { conflictsOf, linesOf, ReviewState } from './review/state';
import { Together } from './review/together';
import { ChangesTree, describeWhole } from './review/tree';
import type { Turn } from './review/turns';
import { Saves } from './saves';
import { StatusItem } from './status';

/** acp-ls is started anew this many times within this many milliseconds. */
const mostDeaths = 3;
const deathsWithin = 3 * 60_000;

/** Commands after which there is nothing to decide on in what they were about. */
const settles = new Set<keyof Commands>([
  'acp.review.accept',
  'acp.review.reject',
  'acp.review.resolve',
]);

export type Decide = 'acp.review.accept' | 'acp.review.reject';

export class App implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('acp-ls', { log: true });
  readonly review = new ReviewState();
  readonly typing = new Typing();
  private readonly cursors = new Cursors();
  readonly saves = new Saves();
  private readonly readings = new Readings();
  private readonly away = new Away(this.saves);
  private readonly lasting = new Lasting((command, args) => this.clicked(command, args));
  readonly documents: Documents;
  readonly chat: ChatController;
  readonly model: ChatModel;
  readonly questions: Questions;
  readonly last: LastConversation;
  private readonly told = new vscode.EventEmitter<void>();
  /** Anything of what is shown, in whatever place, has changed. */
  readonly onDidChange = this.told.event;
  private readonly view: ChatView;
  private readonly decorations = new Decorations(this.review);
  private readonly gutter = new Gutter(this.review);
  private readonly lenses = new Lenses(this.review, (of) => this.connection?.refreshLenses(of));
  private readonly tree = new ChangesTree(this.review);
  readonly together = new Together(this.review);
  readonly gone = new Gone(this.review);
  private readonly status = new StatusItem();
  private connection: Connection | undefined;
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private restarting: Promise<void> = Promise.resolve();
  /** The restart that is to come. */
  private next: Promise<void> | undefined;
  private deaths: number[] = [];
  /** Whether acp-ls, which runs, has told of all that there is to decide on. */
  private knowsAll = false;
  private catchingUp: Promise<void> = Promise.resolve();
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly context: vscode.ExtensionContext) {
    this.model = new ChatModel((message) => {
      this.view.post(message);
      if (message.type !== 'chunk' && message.type !== 'terminal') {
        this.updateStatus();
        this.remember();
      }
      this.told.fire();
    });
    this.documents = new Documents(this.output, this.saves, context.workspaceState);
    this.last = new LastConversation(context.workspaceState);
    this.model.setBefore(this.last.get());
    this.view = new ChatView(
      context.extensionUri,
      (message) => this.chat.receive(message),
      () => this.updateStatus(),
    );
    this.chat = new ChatController(this, this.model, this.view);
    this.questions = new Questions({
      changed: (questions, forms) => {
        this.model.setQuestions(questions);
        this.model.setForms(forms);
        this.view.setBadge(questions.length + forms.length);
      },
      announce: (asked, unseen) => announce(this, this.view, asked, unseen),
    });
    this.disposables = [
      this.output,
      this.documents,
      this.saves,
      this.readings,
      this.away,
      this.lasting,
      this.typing,
      this.cursors,
      this.view,
      this.decorations,
      this.gutter,
      this.lenses,
      this.tree,
      this.together,
      this.gone,
      this.status,
      this.told,
      ...registerCommands(this),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          const uri = document.uri.toString();
          this.review.changed(uri, document.version, contentChanges.map(changeOf));
        }
      }),
      vscode.workspace.onWillSaveTextDocument((event) => this.beforeSave(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.review.closed(uri.toString())),
      vscode.window.onDidChangeActiveTextEditor(() => this.updateContext()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.updateContext()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('acpls.server.path')) {
          void this.restart();
        }
      }),
    ];
  }

  /** What VS Code need not wait for: shows that we are here, and starts acp-ls. */
  begin(): void {
    this.cursors.begin();
    void this.start();
    void warmUp(this);
  }

  dispose(): void {
    void this.connection?.close();
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Starts acp-ls, if it does not run. Never rejects: what is wrong is shown. */
  start(): Promise<void> {
    this.starting ??= this.open().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** Ends acp-ls and its agents. */
  stop(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    const before = this.stopping;
    this.stopping = (async () => {
      await before;
      await connection?.close().catch((err: unknown) => this.output.warn(messageOf(err)));
      this.ended({ state: 'stopped' });
    })();
    return this.stopping;
  }

  /** Starts acp-ls anew. While that is under way, once more is enough for all who want it meanwhile. */
  restart(): Promise<void> {
    this.next ??= this.restarting.then(async () => {
      this.next = undefined;
      await this.starting;
      await this.stop();
      await this.start();
    });
    this.restarting = this.next;
    return this.next;
  }

  /** The process of acp-ls. */
  get pid(): number | undefined {
    return this.connection?.pid;
  }

  get running(): boolean {
    return this.connection !== undefined && this.model.serverState().state === 'running';
  }

  /**
   * Says so if there is nothing to decide on; for that acp-ls has to have told of all that there is.
   * What decides is there at any time: who looks for it in the palette would get what comes next.
   */
  async saysNothing(): Promise<boolean> {
    if (this.review.counts().files === 0) {
      await this.start();
      await this.catchingUp;
    }
    const nothing = this.review.counts().files === 0;
    if (nothing && this.knowsAll) {
      void vscode.window.showInformationMessage('There are no changes to decide on.');
    }
    return nothing;
  }

  /** Runs a command of acp-ls, which is started if need be. Rejects with a CommandError. */
  async execute<K extends keyof Commands>(
    command: K,
    params: Commands[K]['params'],
  ): Promise<Commands[K]['result']> {
    if (this.connection === undefined) {
      await this.start();
    }
    if (this.connection === undefined) {
      const why = this.model.serverState().message ?? 'see its log';
      throw new CommandError(`acp-ls does not run: ${why}`, 'ended');
    }
    return this.connection.execute(command, params);
  }

  /** Like execute, but errors are shown, and undefined is returned for them. */
  async perform<K extends keyof Commands>(
    command: K,
    params: Commands[K]['params'],
  ): Promise<Commands[K]['result'] | undefined> {
    try {
      const result = await this.execute(command, params);
      if (isDecision(result)) {
        if (settles.has(command)) {
          this.review.decided(result.decided);
        }
        this.showRefused(result);
      }
      return result;
    } catch (err) {
      this.showError(err);
      return undefined;
    }
  }

  /** Decides on all that a turn has changed and that is undecided. A conflict stays, and says so. */
  async decideTurn(command: Decide, of: Turn): Promise<void> {
    const result = await this.perform(command, of);
    if (result?.decided.length === 0 && result.refused.length === 0) {
      void vscode.window.showInformationMessage(
        'Nothing that this turn has changed is left to decide on.',
      );
    }
  }

  /**
   * Sees to it that what is known of files is of the texts that are in them: if somebody has typed
   * a moment ago acp-ls has yet to tell of it, and what is decided would be refused.
   */
  async catchUpWith(uris: string[]): Promise<void> {
    for (const uri of uris) {
      const version = find(uri)?.version;
      if (version !== undefined && this.review.isOlder(uri, version)) {
        const result = await this.perform('acp.review.list', { uri });
        if (result !== undefined) {
          const [file] = result.files;
          if (file) {
            this.review.update({ ...file, uri });
          } else {
            this.review.forget(uri);
          }
          this.reviewChanged(uri);
        }
      }
    }
  }

  showError(err: unknown): void {
    this.output.warn(messageOf(err));
    if (!isInterrupted(err)) {
      void vscode.window.showWarningMessage(messageOf(err));
    }
  }

  /** What there is to decide on has changed, in one file or in all. */
  reviewChanged(uri?: string): void {
    this.decorations.refresh(uri);
    this.gutter.refresh();
    this.lenses.again();
    this.tree.refresh();
    this.model.setFiles(this.review.all().map(changedFile));
    this.updateContext();
    if (this.knowsAll) {
      this.together.refresh();
      this.gone.refresh();
    }
  }

  private async open(): Promise<void> {
    if (this.connection !== undefined) {
      return;
    }
    await this.stopping; // what ends must not be taken for this
    this.model.setServer({ state: 'starting' });
    this.updateContext(); // a host of extensions that has died leaves what it had set
    try {
      // Most of what this extension consists of, and nothing of it is needed before.
      const { Connection } = await import('./connection');
      this.connection = await Connection.open(this.context, this.output, {
        ...handlersOf(this),
        saves: this.saves,
        readings: this.readings,
        away: this.away,
        lasting: this.lasting,
        onCommand: (command, args) => this.clicked(command, args),
        onDied: (why) => this.onDied(why),
      });
      this.model.setServer({ state: 'running' });
      this.updateContext();
      this.lenses.again();
      this.catchingUp = this.catchUp();
    } catch (err) {
      this.output.error(messageOf(err));
      this.ended({ state: 'failed', message: messageOf(err) });
      void this.showFailure(messageOf(err));
    }
  }

  private async showFailure(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(message, 'Show Log', 'Settings');
    if (choice === 'Show Log') {
      this.output.show(true);
    } else if (choice === 'Settings') {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'acpls.server.path');
    }
  }

  /** acp-ls has died: it is started anew, but not again and again. */
  private onDied(why: string): void {
    this.output.error(why);
    const dead = this.connection;
    this.connection = undefined;
    void dead?.close();
    const now = Date.now();
    this.deaths = [...this.deaths.filter((at) => now - at < deathsWithin), now];
    if (this.deaths.length > mostDeaths) {
      this.ended({ state: 'failed', message: why });
      void this.showFailure(`${why}: it has died ${this.deaths.length} times and is left`);
      return;
    }
    this.ended({ state: 'starting', message: `${why}. It is started again.` });
    void this.start();
  }

  private ended(server: Parameters<ChatModel['setServer']>[0]): void {
    this.knowsAll = false;
    this.questions.clear();
    this.review.clear();
    this.model.setServer(server);
    this.reviewChanged();
  }

  /** Asks for what was there before we listened. */
  private async catchUp(): Promise<void> {
    try {
      const { files } = await this.execute('acp.review.list', {});
      for (const file of files) {
        this.review.update({ ...file, uri: vscode.Uri.parse(file.uri).toString() });
      }
      this.knowsAll = true;
      this.reviewChanged();
      const { agents } = await this.execute('acp.agent.list', {});
      this.model.setAgents(agents);
    } catch (err) {
      this.output.warn(messageOf(err));
    }
  }

  /** Has the save wait until what agents that work have written to the file is in the document. */
  private beforeSave(event: vscode.TextDocumentWillSaveEvent): void {
    const { document } = event;
    const { connection } = this;
    if (connection === undefined || !document.isDirty || !this.isBusy()) {
      event.waitUntil(this.documents.letSave(document));
      return;
    }
    const looked = this.saves.look(document, () => connection.beforeSave(document));
    event.waitUntil(looked.then(() => this.documents.letSave(document)));
  }

  /** A code lens or a code action of the server's was clicked. */
  private async clicked(command: string, args: unknown[]): Promise<unknown> {
    const params = (args[0] ?? {}) as never;
    this.together.hasFocus = true;
    const result = await this.perform(command as keyof Commands, params);
    if (command === 'acp.prompt' && result !== undefined) {
      this.model.show((result as { session: string }).session);
      await this.chat.open();
    }
    return result;
  }

  private showRefused({ decided, refused }: Decision): void {
    const [first] = refused;
    if (first !== undefined) {
      const rest = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
      const done = decided.length > 0 ? `${decided.length} decided, but not all: ` : '';
      void vscode.window.showWarningMessage(`${done}${first.reason}${rest}`);
    }
  }

  private updateStatus(): void {
    const sessions = this.model.sessions();
    this.status.update({
      server: this.model.serverState(),
      sessions,
      questions: this.questions?.count() ?? 0,
      counts: this.review.counts(),
    });
    const starting = this.model.sessions().some(({ state }) => state === 'starting');
    this.setContext('busy', starting || this.isBusy()); // there is something to stop
    this.setContext('questions', (this.questions?.count() ?? 0) > 0);
  }

  /** Whether an agent works. */
  private isBusy(): boolean {
    return this.model.sessions().some(({ state }) => state === 'running' || state === 'waiting');
  }

  /** Remembers which conversation is shown, for when the window is loaded anew. */
  private remember(): void {
    const info = this.model.currentSession();
    if (info && this.model.isAlive(info.session) && this.model.hasBegun(info.session)) {
      this.last.note(info);
    }
  }

  private updateContext(): void {
    const active = inFront(this.review)?.uri;
    const file = active === undefined ? undefined : this.review.file(active);
    this.setContext('running', this.running);
    this.setContext('changes', this.review.counts().hunks > 0);
    this.setContext('changesHere', file !== undefined);
  }

  private readonly contexts = new Map<string, boolean>();

  private setContext(name: string, value: boolean): void {
    if (this.contexts.get(name) !== value) {
      this.contexts.set(name, value);
      void vscode.commands.executeCommand('setContext', `acpls.${name}`, value);
    }
  }
}

function isDecision(result: object): result is Decision {
  return 'refused' in result && 'decided' in result;
}

function changedFile(file: ReturnType<ReviewState['all']>[number]): ChangedFile {
  const whole = describeWhole(file);
  return {
    uri: file.uri,
    label: vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri)),
    ...linesOf(file.review, find(file.uri)?.getText()),
    hunks: file.hunks.length,
    conflicts: conflictsOf(file.review),
    ...(whole !== '' && { whole }),
  };
}
