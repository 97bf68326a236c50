/** What acp-ls asks about the editor: acp/editor, acp/diagnostics and acp/run. */
import * as vscode from 'vscode';
import type { Diagnostic, Range, Requests } from './contract';

/** Notes when the user last typed. */
export class Typing implements vscode.Disposable {
  private last: number | undefined;
  private readonly listener = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
      this.last = Date.now();
    }
  });

  /** Milliseconds ago. */
  ago(): number {
    return this.last === undefined ? 2 ** 31 : Date.now() - this.last;
  }

  dispose(): void {
    this.listener.dispose();
  }
}

/** Documents that acp-ls knows. */
export function isOurs(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' || document.uri.scheme === 'untitled';
}

export function editorState(typing: Typing): Requests['acp/editor']['result'] {
  const visible = vscode.window.visibleTextEditors.filter(({ document }) => isOurs(document));
  const active = vscode.window.activeTextEditor;
  const viewport = active?.visibleRanges[0];
  return {
    ...(active &&
      isOurs(active.document) && {
        active: {
          uri: active.document.uri.toString(),
          ranges: active.selections.map(rangeOf),
          ...(viewport && { viewport: rangeOf(viewport) }),
        },
      }),
    visible: [...new Set(visible.map(({ document }) => document.uri.toString()))],
    lastTyped: typing.ago(),
  };
}

export function rangeOf(range: vscode.Range): Range {
  return {
    start: { line: range.start.line, character: range.start.character },
    end: { line: range.end.line, character: range.end.character },
  };
}

/** What all language servers say, but for acp-ls itself. */
export function diagnostics({
  uri,
}: Requests['acp/diagnostics']['params']): Requests['acp/diagnostics']['result'] {
  const all =
    uri === undefined
      ? vscode.languages.getDiagnostics()
      : [[vscode.Uri.parse(uri), vscode.languages.getDiagnostics(vscode.Uri.parse(uri))] as const];
  return {
    items: all
      .map(([of, found]) => ({
        uri: of.toString(),
        diagnostics: found.filter(({ source }) => source !== 'acp').map(diagnosticOf),
      }))
      .filter((item) => item.diagnostics.length > 0),
  };
}

function diagnosticOf(found: vscode.Diagnostic): Diagnostic {
  const code = typeof found.code === 'object' ? found.code.value : found.code;
  return {
    range: rangeOf(found.range),
    severity: found.severity + 1,
    ...(code !== undefined && { code }),
    ...(found.source !== undefined && { source: found.source }),
    message: found.message,
  };
}

/** Runs a program in a terminal, which the user is shown but not sent to: they may be typing. */
export function run(
  params: Requests['acp/run']['params'],
  token: vscode.CancellationToken,
): Promise<Requests['acp/run']['result']> {
  const terminal = vscode.window.createTerminal({
    name: params.title,
    shellPath: params.command,
    shellArgs: params.args,
    env: params.env,
    cwd: params.cwd,
    iconPath: new vscode.ThemeIcon('key'),
    isTransient: true,
  });
  terminal.show(true);
  return new Promise((resolve) => {
    const subscriptions = [
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) {
          vscode.Disposable.from(...subscriptions).dispose();
          resolve({ exitCode: closed.exitStatus?.code ?? -1 });
        }
      }),
      token.onCancellationRequested(() => terminal.dispose()),
    ];
  });
}
