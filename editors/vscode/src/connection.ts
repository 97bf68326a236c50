/** One run of acp-ls: the language client, and the typed way to speak with it. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  type ErrorHandler,
  type ErrorHandlerResult,
  type Executable,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import {
  type Capability,
  type Commands,
  contractVersion,
  type Notifications,
  type Requests,
} from './contract';
import { locateServer, serverEnvironment } from './locator';
import { section, serverPath } from './settings';

/** What this extension does beyond LSP. */
export const capabilities: Record<Capability, true> = {
  session: true,
  review: true,
  terminal: true,
  permission: true,
  dismiss: true,
  save: true,
  adopt: true,
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
  [K in keyof Requests]: (
    params: Requests[K]['params'],
    token: vscode.CancellationToken,
  ) => Promise<Requests[K]['result'] | null>;
};

export interface Handlers {
  notifications: NotificationHandlers;
  requests: RequestHandlers;
  /** A command of the server's that was clicked: a code lens or a code action. */
  onCommand(command: string, args: unknown[]): Promise<unknown>;
  onState(state: 'starting' | 'running' | 'stopped', why?: string): void;
}

/** An error of a command: `kind` is `data.kind` of the contract. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly kind: string | undefined,
  ) {
    super(message);
  }
}

export class Connection implements vscode.Disposable {
  private constructor(private readonly client: LanguageClient) {}

  /** Starts acp-ls. Rejects if it cannot be started, with what can be done in the message. */
  static async open(
    context: vscode.ExtensionContext,
    output: vscode.LogOutputChannel,
    handlers: Handlers,
  ): Promise<Connection> {
    const server = locateServer({
      setting: serverPath(),
      env: process.env,
      extension: context.extensionPath,
    });
    output.info(`starting ${server.command} (${server.from})`);
    const run: Executable = {
      command: server.command,
      args: ['serve'],
      options: {
        env: serverEnvironment(process.env) as NodeJS.ProcessEnv,
        cwd: vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === 'file')?.uri.fsPath,
      },
    };
    const client = new LanguageClient('acpls', 'acp-ls', run, options(context, output, handlers));
    client.registerFeature(new ContractFeature());
    for (const [method, handler] of Object.entries(handlers.notifications)) {
      client.onNotification(method, handler as (params: unknown) => void);
    }
    for (const [method, handler] of Object.entries(handlers.requests)) {
      client.onRequest(method, handler as (params: unknown, token: unknown) => Promise<unknown>);
    }
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        handlers.onState('running');
      } else {
        handlers.onState(newState === State.Starting ? 'starting' : 'stopped');
      }
    });
    try {
      await client.start();
    } catch (err) {
      await client.dispose().catch(() => undefined);
      throw new Error(`${server.command} could not be started: ${messageOf(err)}`);
    }
    checkVersion(client);
    return new Connection(client);
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
      const data = (err as { data?: { kind?: unknown } }).data;
      throw new CommandError(
        messageOf(err),
        typeof data?.kind === 'string' ? data.kind : undefined,
      );
    }
  }

  /** Ends acp-ls and its agents; it is given two seconds, then it is killed. */
  async close(): Promise<void> {
    await this.client.dispose().catch(() => undefined);
  }

  dispose(): void {
    void this.close();
  }
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
    errorHandler: new Restarts(handlers),
    middleware: middleware(context, handlers),
    markdown: { supportHtml: false },
  };
}

/** Announces what this extension does beyond LSP. */
class ContractFeature implements StaticFeature {
  fillClientCapabilities(of: { experimental?: object }): void {
    of.experimental = { ...of.experimental, acp: capabilities };
  }
  initialize(): void {}
  getState(): { kind: 'static' } {
    return { kind: 'static' };
  }
  clear(): void {}
}

/** Starts acp-ls anew when it has died, but not again and again. */
class Restarts implements ErrorHandler {
  private deaths: number[] = [];
  private static readonly most = 3;
  private static readonly within = 3 * 60_000;

  constructor(private readonly handlers: Pick<Handlers, 'onState'>) {}

  error(): ErrorHandlerResult {
    return { action: ErrorAction.Continue, handled: true };
  }

  closed(): CloseHandlerResult {
    const now = Date.now();
    this.deaths = [...this.deaths.filter((at) => now - at < Restarts.within), now];
    if (this.deaths.length <= Restarts.most) {
      return { action: CloseAction.Restart, handled: true };
    }
    this.handlers.onState('stopped', `acp-ls has died ${this.deaths.length} times in a row`);
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}

function middleware(context: vscode.ExtensionContext, handlers: Handlers): Middleware {
  const ours = (document: vscode.TextDocument) => !isSettings(document.uri, context);
  return {
    didOpen: async (document, next) => (ours(document) ? next(document) : undefined),
    didClose: async (document, next) => (ours(document) ? next(document) : undefined),
    didSave: async (document, next) => (ours(document) ? next(document) : undefined),
    didChange: async (event, next) => (ours(event.document) ? next(event) : undefined),
    executeCommand: (command, args) => handlers.onCommand(command, args),
    workspace: {
      configuration: async (params) =>
        params.items.map((item) => (item.section === 'acp' ? section() : null)),
    },
  };
}

/**
 * Whether a document is one of VS Code's own: it writes its settings through documents that
 * nobody has opened. Those of the workspace count as the user's.
 */
function isSettings(uri: vscode.Uri, context: vscode.ExtensionContext): boolean {
  if (uri.scheme !== 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    return false;
  }
  const user = path.dirname(path.dirname(context.globalStorageUri.fsPath));
  return uri.fsPath.startsWith(user + path.sep);
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

export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
