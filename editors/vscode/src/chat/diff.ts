/** Differences that a tool call tells of, shown side by side. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ToolContent } from '../contract';

/** Documents whose text is kept here: both sides of the difference that was asked for last. */
const scheme = 'acpls-diff';
const texts = new Map<string, string>();

/** How many texts are kept; a difference that is still open keeps showing what it shows. */
const kept = 20;

export function registerDiffDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()),
  });
}

let shown = 0;

export async function openToolDiff(content: ToolContent | undefined): Promise<void> {
  if (content?.type !== 'diff' || content.path === undefined) {
    return;
  }
  const id = ++shown;
  const side = (name: string, text: string): vscode.Uri => {
    const uri = vscode.Uri.from({ scheme, path: content.path ?? '/', query: `${name}-${id}` });
    texts.set(uri.toString(), text);
    return uri;
  };
  const before = side('before', content.oldText ?? '');
  const after = side('after', content.newText ?? '');
  for (const uri of [...texts.keys()].slice(0, -kept)) {
    texts.delete(uri);
  }
  await vscode.commands.executeCommand(
    'vscode.diff',
    before,
    after,
    `${path.basename(content.path)} (as the agent tells it)`,
  );
}
