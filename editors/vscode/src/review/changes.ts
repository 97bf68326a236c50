/** Shows changes: one file or all beside what was there before, and one after the other. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { roundTrip } from '../edits';
import type { FileReview, ReviewState } from './state';

/** The document that shows a file as it would be if every undecided change were rejected. */
export function baseUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: 'acp-base' });
}

/** All changed files in one editor. */
export async function reviewAll(state: ReviewState): Promise<void> {
  const files = state.all().filter(({ review }) => review.file?.opaque === undefined);
  if (files.length === 0) {
    void vscode.window.showInformationMessage('There are no changes to review.');
    return;
  }
  await vscode.commands.executeCommand(
    'vscode.changes',
    'Changes by agents',
    files.map(({ uri, review }) => {
      const now = vscode.Uri.parse(uri);
      const created = review.file?.op === 'create';
      const deleted = review.file?.op === 'delete';
      return [now, created ? undefined : baseUri(now), deleted ? undefined : now];
    }),
  );
}

/** One file beside what was there before. */
export async function openDiff(file: FileReview): Promise<void> {
  const uri = vscode.Uri.parse(file.uri);
  if (file.review.file?.opaque !== undefined) {
    await vscode.commands.executeCommand('vscode.open', uri);
    return;
  }
  const title = `${path.basename(uri.path)} (before agents ↔ now)`;
  if (file.review.file?.op === 'delete' && !isOpen(uri)) {
    await vscode.commands.executeCommand('vscode.open', baseUri(uri));
    return;
  }
  await vscode.commands.executeCommand('vscode.diff', baseUri(uri), uri, title);
}

function isOpen(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((d) => d.uri.toString() === uri.toString());
}

/** Goes to a line, in the editor in which the file can be seen already. */
export async function show(uri: string, line: number): Promise<void> {
  const target = vscode.Uri.parse(uri);
  const visible = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === target.toString(),
  );
  const editor = await vscode.window.showTextDocument(target, {
    ...(visible?.viewColumn !== undefined && { viewColumn: visible.viewColumn }),
    preview: false,
  });
  // On its first word: at the beginning of an indented line VS Code offers no light bulb.
  const { text, lineNumber } = editor.document.lineAt(
    Math.min(line, editor.document.lineCount - 1),
  );
  const at = new vscode.Position(lineNumber, Math.max(text.search(/\S/), 0));
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(
    new vscode.Range(at, at),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
  await roundTrip(); // until then VS Code may say that the cursor is where it was
}

/** Goes to the next hunk, or the one before, in any file. */
export async function go(state: ReviewState, step: 1 | -1): Promise<void> {
  const active = vscode.window.activeTextEditor;
  const place = state.next(
    active && { uri: active.document.uri.toString(), line: active.selection.active.line },
    step,
  );
  if (place === undefined) {
    void vscode.window.showInformationMessage('There are no changes to decide on.');
    return;
  }
  const { number, of } = state.position(place);
  const file = state.file(place.uri);
  if (file?.review.file !== undefined && place.hunk === undefined) {
    await openDiff(file);
  } else {
    await show(place.uri, place.line);
  }
  vscode.window.setStatusBarMessage(`Change ${number} of ${of}`, 3000);
}
