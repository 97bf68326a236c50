/** Does what the chat's page asks for. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../app';
import type { Commands, SessionInfo, ToolCall } from '../contract';
import { rangeOf } from '../editor';
import { CommandError, isInterrupted, isStopped, messageOf } from '../errors';
import { restartAgent } from '../pick';
import { openPlace } from '../review/changes';
import { inChat } from '../review/together';
import { type Before, whyGone } from './before';
import { openToolDiff } from './diff';
import { noCommands } from './hint';
import { mentionOf } from './mention';
import { type ChatModel, originalOf } from './model';
import { toBytes, toUnits } from './offsets';
import type { Attachment, ChatCommand, PageMessage, ToolOf } from './protocol';
import type { ChatView } from './view';

const commands: Record<ChatCommand, string> = {
  newSession: 'acpls.newSession',
  defaultAgent: 'acpls.defaultAgent',
  sessions: 'acpls.sessions',
  closeSession: 'acpls.closeSession',
  login: 'acpls.login',
  transcript: 'acpls.transcript',
  changes: 'acpls.reviewChanges',
  acceptAll: 'acpls.acceptAll',
  rejectAll: 'acpls.rejectAll',
  restart: 'acpls.restart',
  settings: 'acpls.settings',
  log: 'acpls.showLog',
};

/** After how long, in milliseconds, a session that is loaded is shown before it is there. */
const soon = 1000;

export class ChatController {
  private resuming: Promise<string> | undefined;
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly app: App,
    private readonly model: ChatModel,
    private readonly view: ChatView,
  ) {}

  /** Shows the chat. */
  async open(on: 'input' | 'question' = 'input'): Promise<void> {
    await this.view.focus(on);
  }

  receive(message: PageMessage): void {
    this.handle(message).catch((err: unknown) => this.app.showError(err));
  }

  /** Starts a session, and shows it: how it starts is seen there. */
  async start(agent?: string): Promise<void> {
    this.model.setProblem(null);
    try {
      this.model.show(await this.create(agent ? { agent } : {}));
    } catch (err) {
      this.failed('No session was started', err);
    }
  }

  /** Makes a session for a prompt; says so if the one before cannot be taken up again. */
  private async begin(): Promise<string> {
    const gone = this.model.gone();
    const session = await this.create({});
    if (gone !== undefined) {
      this.model.note(session, `This is a new session: ${whyGone(gone.agent)}.`);
    }
    return session;
  }

  /** Makes a session, which need not have started yet. */
  private async create(of: Commands['acp.session.new']['params']): Promise<string> {
    const info = await this.app.execute('acp.session.new', { ...of, wait: false });
    if (this.model.session(info.session) === undefined) {
      this.model.onSession(info);
    }
    return info.session;
  }

  /** Opens a session that is known from before, and shows it. */
  async load({ agent, sessionId, cwd }: SessionInfo): Promise<void> {
    this.model.setProblem(null);
    try {
      const info = await this.loaded({ agent, sessionId, ...(cwd && { cwd }) });
      this.model.onSession(info);
      await this.select(info.session);
    } catch (err) {
      this.failed('The session was not opened', err);
    }
  }

  /** Loads a session, and shows how it starts if that takes its time. */
  private async loaded(of: Commands['acp.session.load']['params']): Promise<SessionInfo> {
    const known = new Set(this.model.sessions().map(({ session }) => session));
    const show = () => {
      const loading = this.model
        .sessions()
        .find(
          ({ session, agent, state }) =>
            !known.has(session) && agent === of.agent && /^(starting|failed)$/.test(state),
        );
      if (loading !== undefined) {
        this.model.show(loading.session);
      }
    };
    const timer = setTimeout(show, soon);
    try {
      return await this.app.execute('acp.session.load', of);
    } catch (err) {
      if (isStopped(err)) {
        show(); // where it says so
      }
      throw err;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Says where the user looks that there is no session, and why. */
  private failed(what: string, err: unknown): void {
    if (isInterrupted(err) || isStopped(err)) {
      return; // which is said by itself
    }
    const problem = `${what}: ${messageOf(err)}`;
    this.app.output.warn(problem);
    this.model.setProblem(problem);
    if (!this.view.visible) {
      this.app.showError(problem);
    }
  }

  /**
   * Takes a conversation up again that has ended with acp-ls or with the window: with the agent's
   * own record of it, if it has one, else with a new session, which says so. Returns the session,
   * which is shown.
   */
  private resume(lost: Before): Promise<string> {
    this.resuming ??= this.reload(lost).finally(() => {
      this.resuming = undefined;
    });
    return this.resuming;
  }

  private async reload(lost: Before): Promise<string> {
    const { agent, sessionId, cwd } = lost;
    try {
      const info = await this.loaded({ agent, sessionId, ...(cwd && { cwd }) });
      this.model.onSession(info);
      this.model.show(info.session);
      return info.session;
    } catch (err) {
      const kind = err instanceof CommandError ? err.kind : undefined;
      if (kind === 'ended' || isInterrupted(err) || isStopped(err)) {
        throw err; // acp-ls does not run, or the user wants no agent to
      }
      if (kind === 'invalid' || kind === 'unknownSession') {
        this.app.last.forget(lost);
      }
      const session = await this.create({ agent, ...(cwd && { cwd }) });
      this.model.show(session);
      this.model.note(
        session,
        `This is a new session: ${agent} does not know what was said before (${messageOf(err)}).`,
      );
      return session;
    }
  }

  /** Shows a session, with its transcript. */
  async select(session: string): Promise<void> {
    this.model.show(session);
    if (this.model.isPartial(session)) {
      const result = await this.app.perform('acp.session.entries', { session });
      if (result !== undefined) {
        this.model.setEntries(session, result.entries);
      }
    }
  }

  /** Answers a question. */
  async answer(id: string, option?: string): Promise<void> {
    if (option === undefined) {
      await this.app.perform('acp.permission.answer', { id });
      return;
    }
    switch (this.app.questions.answer(id, option)) {
      case 'elsewhere':
        await this.app.perform('acp.permission.answer', { id, optionId: option });
        return;
      case 'unknown':
        void vscode.window.showInformationMessage('The question has been answered already.');
    }
  }

  /** Puts what is selected in the editor into the chat. */
  async addSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      void vscode.window.showInformationMessage('There is no editor with a selection.');
      return;
    }
    const { document, selection } = editor;
    if (selection.isEmpty && document.uri.scheme === 'file') {
      const text = mentionOf(document.uri.fsPath, this.folderOfMentions());
      await this.open();
      this.view.postWhenReady({ type: 'insert', text });
      return;
    }
    const attachment = selection.isEmpty
      ? { uri: document.uri.toString(), label: path.basename(document.uri.path) }
      : this.attachmentOf(document, selection);
    await this.open();
    this.view.postWhenReady({ type: 'attach', attachment: await attachment });
  }

  /** The lines of a selection: their text as it is by the time it is sent, wherever it is then. */
  private async attachmentOf(
    document: vscode.TextDocument,
    { start, end }: vscode.Selection,
  ): Promise<Attachment> {
    const uri = document.uri.toString();
    const last = end.character === 0 ? Math.max(end.line - 1, start.line) : end.line;
    const lines = new vscode.Range(start.line, 0, last, Number.MAX_SAFE_INTEGER);
    const range = rangeOf(document.validateRange(lines));
    const numbers = last > start.line ? `${start.line + 1}-${last + 1}` : `${last + 1}`;
    const mark = await this.app.execute('acp.mark', { uri, range }).then(
      (marked) => marked.mark,
      () => undefined, // the range it is, then
    );
    const label = `${path.basename(document.uri.path)}:${numbers}`;
    return { uri, label, range, ...(mark !== undefined && { mark }) };
  }

  /**
   * The folder that a mention may be named from: the one folder there is, if the session that is
   * shown is there as well. With several, who is sent it may be in any.
   */
  private folderOfMentions(): string | undefined {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const [folder] = folders.map(({ uri }) => uri.fsPath);
    const cwd = this.model.currentSession()?.cwd || folder;
    return folders.length === 1 && cwd === folder ? folder : undefined;
  }

  private async handle(message: PageMessage): Promise<void> {
    const session = this.model.currentSession();
    const alive = session !== undefined && this.model.isAlive(session.session);
    switch (message.type) {
      case 'focused':
        return; // the view has asked
      case 'ready':
        this.view.post({ type: 'state', state: this.model.state() });
        return;
      case 'send': {
        // One after the other: the first may have to wait for its session, and they keep their order.
        const { resuming } = this;
        this.sending = this.sending.then(() => this.send(message, resuming));
        return this.sending;
      }
      case 'stop':
        if (alive) {
          await this.app.perform('acp.cancel', { session: session.session });
        }
        return;
      case 'restartAgent':
        return restartAgent(this.app, message.agent);
      case 'newSession':
        return this.start(message.agent);
      case 'resume': {
        const lost = this.model.lost();
        if (lost !== undefined) {
          await this.resume(lost).catch((err) => {
            if (!isStopped(err)) {
              throw err;
            }
          });
        }
        return;
      }
      case 'select':
        return this.select(message.session);
      case 'setOption':
        if (alive) {
          const { option, value } = message;
          await this.app.perform('acp.session.setOption', {
            session: session.session,
            option,
            value,
          });
        }
        return;
      case 'editQueued':
        if (alive) {
          const { id, text } = message;
          await this.app.perform('acp.prompt.edit', { session: session.session, id, text });
        }
        return;
      case 'removeQueued':
        if (alive) {
          await this.app.perform('acp.prompt.remove', { session: session.session, id: message.id });
        }
        return;
      case 'complete':
        return this.complete(message, alive ? session.session : undefined);
      case 'open':
        return this.openFile(message);
      case 'diff':
        return openToolDiff(this.toolCall(message.of)?.content?.[message.content]);
      case 'link':
        return this.follow(message.href);
      case 'unseen':
        this.app.questions.unseen(message.question);
        return;
      case 'answer':
        return this.answer(message.question, message.option);
      case 'form':
        this.app.questions.answerForm(message.form, {
          action: message.action,
          answers: message.answers,
        });
        return;
      case 'decide':
        return this.decide(message);
      case 'undo':
        if (alive) {
          await this.app.perform('acp.review.undo', {
            session: session.session,
            turn: message.turn,
          });
        }
        return;
      case 'command':
        await vscode.commands.executeCommand(commands[message.command], inChat);
    }
  }

  private toolCall(of: ToolOf): ToolCall | undefined {
    return 'question' in of
      ? this.app.questions.question(of.question)?.toolCall
      : this.model.entry(of.session, of.entry)?.tool;
  }

  /** @param resuming what was being resumed when this was written: if that is stopped, so is this */
  private async send(
    { request, text, attachments, when }: Extract<PageMessage, { type: 'send' }>,
    resuming: Promise<string> | undefined,
  ): Promise<void> {
    try {
      const shown = this.model.currentSession()?.session;
      const session = shown !== undefined && this.model.isAlive(shown) ? shown : undefined;
      const lost = session === undefined ? this.model.lost() : undefined;
      const resumed = resuming ?? this.resuming ?? (lost && this.resume(lost));
      const to = (await resumed) ?? session ?? (await this.begin());
      const context = attachments.map(({ uri, range, mark }) => ({
        uri,
        ...(range && { range }),
        ...(mark !== undefined && { mark }),
      }));
      await this.app.execute('acp.prompt', {
        session: to,
        text,
        when,
        ...(context.length > 0 && { context }),
      });
      this.model.show(to);
      this.view.post({ type: 'sent', request });
    } catch (err) {
      this.view.post({ type: 'sent', request, error: messageOf(err) });
    }
  }

  private async complete(
    { request, text, offset }: Extract<PageMessage, { type: 'complete' }>,
    session: string | undefined,
  ): Promise<void> {
    const { items } = await this.app
      .execute('acp.complete', { ...(session && { session }), text, offset: toBytes(text, offset) })
      .catch(() => ({ items: [] }));
    const hint = this.hintOn(text.slice(0, offset));
    this.view.post({
      type: 'completions',
      request,
      ...(items.length === 0 && hint !== undefined && { hint }),
      items: items.map((item) => ({
        ...item,
        start: toUnits(text, item.start),
        end: toUnits(text, item.end),
      })),
    });
  }

  /** Why there is no command to propose. Only an agent with a session tells which it has. */
  private hintOn(before: string): string | undefined {
    if (!/^\/[^\s/]*$/.test(before)) {
      return undefined;
    }
    const info = this.model.currentSession();
    const alive = info !== undefined && this.model.isAlive(info.session);
    const agents = this.model.state().agents;
    const lost = this.model.lost();
    const next = lost?.agent ?? agents.find((agent) => agent.default)?.name;
    return noCommands(alive ? info : undefined, next);
  }

  private async openFile(message: Extract<PageMessage, { type: 'open' }>): Promise<void> {
    const uri = message.uri ?? (message.path && vscode.Uri.file(message.path).toString());
    if (uri) {
      await openPlace(this.app.review, uri, Math.max((message.line ?? 1) - 1, 0));
    }
  }

  /** Follows a link of a text: to a file, with a line if it has one, or out of VS Code. */
  private async follow(href: string): Promise<void> {
    if (/^(https?|mailto):/i.test(href)) {
      await vscode.env.openExternal(vscode.Uri.parse(href));
      return;
    }
    const [, file = '', line] = /^(.*?)(?:#L?(\d+).*|:(\d+)(?::\d+)?)?$/.exec(href) ?? [];
    const at = line ?? /:(\d+)(?::\d+)?$/.exec(href)?.[1];
    const uri = /^file:/i.test(file)
      ? vscode.Uri.parse(file)
      : vscode.Uri.file(path.resolve(this.model.currentSession()?.cwd ?? '/', decode(file)));
    await openPlace(this.app.review, uri.toString(), Math.max(Number(at ?? 1) - 1, 0));
  }

  private async decide(message: Extract<PageMessage, { type: 'decide' }>): Promise<void> {
    const command = message.what === 'accept' ? 'acp.review.accept' : 'acp.review.reject';
    this.app.together.hasFocus = false;
    if (message.uri !== undefined) {
      await this.app.catchUpWith([message.uri]);
      const rev = this.app.review.file(message.uri)?.rev;
      await this.app.perform(command, { uri: message.uri, ...(rev && { rev }) });
    } else if (message.turn !== undefined) {
      const session = this.model.currentSession()?.session;
      if (session !== undefined) {
        await this.app.decideTurn(command, { session: originalOf(session), turn: message.turn });
      }
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
