/** One run of acp-ls: the language client, and the typed way to speak with it. */
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
  type WorkspaceEdit,
} from 'vscode-languageclient/node';
import type { Away } from './away';
import {
  type Capability,
  type Commands,
  contractVersion,
  type Notifications,
  type Requests,
} from './contract';
import { heldBack, isHeld, makeUncut, turn, turnOf } from './edits';
import { CommandError, messageOf } from './errors';
import type { Lasting } from './lasting';
import { locateServer, serverEnvironment } from './locator';
import type { Readings } from './readings';
import type { Saves } from './saves';
import { ServerProcess } from './server';
import { section, serverPath } from './settings';
import { dataFolder, isSettings } from './settingsFiles';
import { offerInTerminals } from './terminals';

/** What this extension does beyond LSP. Text and base at once (acp/adopt) is nothing VS Code can do. */
export const capabilities: Record<Exclude<Capability, 'adopt'>, true> = {
  session: true,
  review: true,
  terminal: true,
  permission: true,
  dismiss: true,
  save: true,
  format: true,
  base: true,
  reload: true,
  editor: true,
  run: true,
  diagnostics: true,
  ask: true,
};

export type NotificationHandlers = {
  [K in keyof Notifications]: (params: Notifications[K]) => void;
};

export type RequestHandlers = {
  [K in Exclude<keyof Requests, 'acp/adopt'>]: (
    params: Requests[K]['params'],
    token: vscode.CancellationToken,
  ) => Promise<Requests[K]['result'] | null>;
};

export interface Handlers {
  notifications: NotificationHandlers;
  requests: RequestHandlers;
  /** A command of the server's that was clicked: a code lens or a code action. */
  onCommand(command: string, args: unknown[]): Promise<unknown>;
  lasting: Lasting;
  saves: Saves;
  readings: Readings;
  away: Away;
  /** acp-ls has ended without being told to. */
  onDied(why: string): void;
}

export class Connection {
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly client: LanguageClient,
    private readonly server: ServerProcess,
  ) {}

  /** Starts acp-ls. Rejects if it cannot be started, with what can be done in the message. */
  static async open(
    context: vscode.ExtensionContext,
    output: vscode.LogOutputChannel,
    handlers: Handlers,
  ): Promise<Connection> {
    const located = locateServer({
      setting: serverPath(),
      env: process.env,
      extension: context.extensionPath,
    });
    const { command, from } = located;
    offerInTerminals(context.environmentVariableCollection, located);
    output.info(`starting ${command} (${from})`);
    const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
    const server = await ServerProcess.start(
      command,
      serverEnvironment(process.env),
      folder?.uri.fsPath,
    ).catch((err: unknown) => {
      throw new Error(`${command} cannot be run: ${messageOf(err)}`);
    });
    void server.ended.then(() => handlers.away.ended());
    const client = new LanguageClient(
      'acpls',
      'acp-ls',
      async () => server.child,
      options(context, output, handlers),
    );
    client.registerFeature(new ContractFeature(handlers.away));
    handlers.readings.tell = (uri, version, read) =>
      client.sendNotification('acp/read', {
        uri: client.code2ProtocolConverter.asUri(uri),
        version,
        read,
      });
    for (const [method, handler] of Object.entries(handlers.notifications)) {
      client.onNotification(method, handler as (params: unknown) => void);
    }
    for (const [method, handler] of Object.entries(handlers.requests)) {
      client.onRequest(method, handler as (params: unknown, token: unknown) => Promise<unknown>);
    }
    const ended = server.ended.then((how) => {
      throw new Error(`${command} ended at once (${how}): ${server.lastWords}`);
    });
    try {
      await Promise.race([client.start(), ended]);
    } catch (err) {
      // What it said is the better reason, and is there a moment later.
      const died = await Promise.race([ended.catch((e: unknown) => e), pause(500)]);
      await server.end(0);
      throw died ?? err;
    }
    checkVersion(client);
    const connection = new Connection(client, server);
    void ended.catch(() => connection.died(handlers));
    return connection;
  }

  private async died(handlers: Handlers): Promise<void> {
    if (this.closing === undefined) {
      const how = await this.server.ended;
      handlers.onDied(`acp-ls has ended (${how}) ${this.server.lastWords}`.trim());
    }
  }

  /** Runs a command of the contract. Rejects with a CommandError. */
  async execute<K extends keyof Commands>(
    command: K,
    params: Commands[K]['params'],
  ): Promise<Commands[K]['result']> {
    try {
      return await this.client.sendRequest('workspace/executeCommand', {
        command,
        arguments: [params],
      });
    } catch (err) {
      const { code, data } = err as { code?: unknown; data?: { kind?: unknown } };
      if (this.closing !== undefined || code === ErrorCodes.PendingResponseRejected) {
        const why = 'acp-ls was ended, or started again, before it had answered: try again';
        throw new CommandError(why, 'interrupted');
      }
      throw new CommandError(
        messageOf(err),
        typeof data?.kind === 'string' ? data.kind : undefined,
      );
    }
  }

  /** Has acp-ls bring in what an agent has written to the file of a document that is to be saved. */
  beforeSave({ uri }: vscode.TextDocument): Promise<unknown> {
    const textDocument = { uri: this.client.code2ProtocolConverter.asUri(uri) };
    return this.client.sendRequest('textDocument/willSaveWaitUntil', { textDocument, reason: 1 });
  }

  /** Has VS Code ask for the code lenses of documents again. */
  refreshLenses(of: vscode.TextDocument): void {
    const feature = this.client.getFeature('textDocument/codeLens');
    feature.getProvider(of)?.onDidChangeCodeLensEmitter.fire();
  }

  get pid(): number | undefined {
    return this.server.child.pid;
  }

  /** Ends acp-ls and its agents. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    if (this.client.state === State.Running) {
      await this.client.stop(patience).catch(() => undefined);
    }
    await this.server.end(patience);
    await this.client.dispose().catch(() => undefined);
  }
}

/** How long acp-ls is given to end, in milliseconds. */
const patience = 2000;

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}

function options(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  handlers: Handlers,
): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
    initializationOptions: section(),
    synchronize: { configurationSection: 'acpls' },
    outputChannel: output,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false,
    errorHandler: {
      // A message that cannot be read ends nothing; whether to start anew is the app's business.
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    middleware: middleware(context, handlers),
    markdown: { supportHtml: false },
  };
}

/** Announces what this extension does beyond LSP. */
class ContractFeature implements StaticFeature {
  constructor(private readonly away: Away) {}
  fillInitializeParams(of: object): void {
    const written = this.away.told();
    if (written.length > 0) {
      Object.assign(of, { acp: { written } });
    }
  }
  fillClientCapabilities(of: { experimental?: object }): void {
    of.experimental = { ...of.experimental, acp: capabilities };
  }
  initialize(): void {
    this.away.began();
  }
  getState(): { kind: 'static' } {
    return { kind: 'static' };
  }
  clear(): void {}
}

function middleware(context: vscode.ExtensionContext, handlers: Handlers): Middleware {
  const data = dataFolder(context.globalStorageUri.fsPath);
  const ours = ({ uri }: vscode.TextDocument) =>
    vscode.workspace.getWorkspaceFolder(uri) !== undefined ||
    !isSettings(uri.scheme === 'file' ? uri.fsPath : '', data);
  /** Versions of documents that saving has made. */
  const made = new Set<string>();
  /** Versions of documents that may be what was read of the file. */
  const mayBeRead = new Set<string>();
  /** Documents whose file has what they had before they were said to be saved. */
  const earlier = new Set<string>();
  const versionOf = (uri: string, version: number): string => `${version} ${uri}`;
  return {
    didOpen: async (document, next) => (ours(document) ? next(document) : undefined),
    didClose: async (document, next) => (ours(document) ? next(document) : undefined),
    didSave: async (document, next) => {
      const written = ours(document) ? handlers.saves.written(document) : 'other';
      if (written === 'earlier') {
        earlier.add(document.uri.toString());
        void handlers.saves.again(document);
      }
      return written === 'other' ? undefined : next(document);
    },
    didChange: async (event, next) => {
      if (ours(event.document)) {
        if (handlers.saves.made(event)) {
          made.add(versionOf(event.document.uri.toString(), event.document.version));
        }
        if (!handlers.readings.mayBe(event)) {
          await next(event);
          return;
        }
        mayBeRead.add(versionOf(event.document.uri.toString(), event.document.version));
        const sent = next(event);
        handlers.readings.expect(event.document, sent);
        await sent;
      }
    },
    sendNotification: (type, next, params) => {
      const { textDocument } = (params ?? {}) as {
        textDocument?: { uri: string; version: number };
      };
      if (textDocument === undefined) {
        return next(type, params);
      }
      const method = typeof type === 'string' ? type : type.method;
      if (method === 'textDocument/didSave' && earlier.delete(textDocument.uri)) {
        return next(type, { ...params, acp: { earlier: true } });
      }
      const version = versionOf(textDocument.uri, textDocument.version);
      const acp = {
        ...(made.delete(version) && { save: true }),
        ...(mayBeRead.delete(version) && { clean: true }),
      };
      return next(type, Object.keys(acp).length > 0 ? { ...params, acp } : params);
    },
    // The server completes prompts; elsewhere it need not be asked at every "/".
    provideCompletionItem: (document, position, context, token, next) =>
      /^acp-(prompt|chat)$/.test(document.languageId)
        ? next(document, position, context, token)
        : undefined,
    provideCodeLenses: async (document, token, next) =>
      (await next(document, token))?.map((lens) => withPeek(lens, document.uri)),
    provideCodeActions: async (document, range, context, token, next) => {
      const actions = await next(document, range, context, token);
      for (const action of actions ?? []) {
        if ('kind' in action && action.command !== undefined) {
          action.command = handlers.lasting.of(action.command);
        }
      }
      return actions;
    },
    executeCommand: (command, args) => handlers.onCommand(command, args),
    workspace: {
      handleApplyEdit: async (params, next) => {
        await handlers.saves.ended(documentsOf(params.edit));
        if (await isHeld(params.edit)) {
          return heldBack;
        }
        const turns = turnOf(params.edit);
        const applied = turns !== undefined ? await turn(turns) : await makeUncut(params.edit);
        return applied !== undefined
          ? { applied }
          : next(params, new vscode.CancellationTokenSource().token);
      },
      configuration: async (params) =>
        params.items.map((item) => (item.section === 'acp' ? section() : null)),
    },
  };
}

/** A lens that only says which hunk it is shows, when it is clicked, what was there before. */
function withPeek(lens: vscode.CodeLens, uri: vscode.Uri): vscode.CodeLens {
  if (lens.command?.command === 'acp.review.list') {
    const place = { uri: uri.toString(), line: lens.range.start.line };
    lens.command = {
      title: lens.command.title,
      tooltip: 'Show what was there before',
      command: 'acpls.peekHunk',
      arguments: [place],
    };
  }
  return lens;
}

function documentsOf(edit: WorkspaceEdit): string[] {
  const changed = (edit.documentChanges ?? []).flatMap((change) =>
    'textDocument' in change ? [change.textDocument.uri] : [],
  );
  return [...changed, ...Object.keys(edit.changes ?? {})];
}

function checkVersion(client: LanguageClient): void {
  const offered = client.initializeResult?.capabilities.experimental?.acp?.version;
  if (offered !== contractVersion) {
    void vscode.window.showWarningMessage(
      `acp-ls speaks contract ${offered ?? 'none'}, this extension ${contractVersion}: ` +
        'install both from one release.',
    );
  }
}
