/** Shows changes: one file or all beside what was there before, and one after the other. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { find, roundTrip } from '../edits';
import { baseUri, fileOf, goneUri } from './aside';
import { type FileReview, type Place, type ReviewState, wholeOf } from './state';

/** The file that is in front, also where it is shown as it was before, as a notebook, or is no text. */
export function inFront(state: ReviewState): { uri: string; line: number } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined && !isCell(editor.document)) {
    return { uri: fileOf(state, editor.document.uri), line: editor.selection.active.line };
  }
  const uri = uriOf(vscode.window.tabGroups.activeTabGroup.activeTab?.input);
  return uri && { uri: fileOf(state, uri), line: 0 };
}

/** What is shown in a tab that is of one file. */
function uriOf(input: unknown): vscode.Uri | undefined {
  const { TabInputText, TabInputCustom, TabInputNotebook, TabInputNotebookDiff } = vscode;
  if (input instanceof TabInputNotebookDiff) {
    return input.modified;
  }
  const isOne =
    input instanceof TabInputText ||
    input instanceof TabInputCustom ||
    input instanceof TabInputNotebook;
  return isOne ? input.uri : undefined;
}

/** Whether a document is a cell of a notebook: what agents change is the text of the file. */
export function isCell({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === 'vscode-notebook-cell';
}

/** One file beside what was there before. False if there is nothing to show, which is said. */
export async function openDiff(file: FileReview): Promise<boolean> {
  const uri = vscode.Uri.parse(file.uri);
  if (file.review.file?.opaque !== undefined) {
    if (!(await exists(uri))) {
      void vscode.window.showInformationMessage(
        `${vscode.workspace.asRelativePath(uri)} is ${wholeOf(file.review.file)}, and no text that ` +
          'could be shown. Decide on it in the view Changes.',
      );
      return false;
    }
    await vscode.commands.executeCommand('vscode.open', uri);
    return true;
  }
  const deleted = file.review.file?.op === 'delete';
  const document = find(file.uri);
  if (deleted && document === undefined) {
    await vscode.commands.executeCommand('vscode.open', baseUri(uri));
    return true;
  }
  // The document of a file that is deleted keeps its text: it is not what there is now.
  const now = deleted ? goneUri(uri) : uri;
  const kept = document?.isDirty ? ', its unsaved text is kept in its tab' : '';
  const words = deleted ? `before agents ↔ deleted${kept}` : 'before agents ↔ now';
  const title = `${path.basename(uri.path)} (${words})`;
  await vscode.commands.executeCommand('vscode.diff', baseUri(uri), now, title);
  return true;
}

/** Goes to a place that is named in the chat: there may be no such file any more, or no text in it. */
export async function openPlace(state: ReviewState, uri: string, line: number): Promise<void> {
  const file = state.file(uri);
  const whole = file?.review.file;
  if (file !== undefined && (whole?.op === 'delete' || whole?.opaque !== undefined)) {
    await openDiff(file);
    return;
  }
  try {
    await show(uri, line);
  } catch {
    const target = vscode.Uri.parse(uri);
    if (await exists(target)) {
      await vscode.commands.executeCommand('vscode.open', target);
    } else {
      void vscode.window.showInformationMessage(
        `${vscode.workspace.asRelativePath(target)} is not there.`,
      );
    }
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
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

/** The change that was gone to last, if it could not be shown, and what was in front then. */
let unseen: { place: Place; front: string } | undefined;

/** Goes to the next hunk, or the one before, in any file. */
export async function go(state: ReviewState, step: 1 | -1): Promise<void> {
  const front = () => JSON.stringify(inFront(state) ?? null);
  const from = unseen?.front === front() ? unseen.place : inFront(state);
  const place = state.next(from, step);
  if (place === undefined) {
    void vscode.window.showInformationMessage('There are no changes to decide on.');
    return;
  }
  const { number, of } = state.position(place);
  const file = state.file(place.uri);
  const isSeen =
    file !== undefined && place.hunk === undefined
      ? await openDiff(file)
      : await show(place.uri, place.line);
  unseen = isSeen === false ? { place, front: front() } : undefined;
  vscode.window.setStatusBarMessage(`Change ${number} of ${of}`, 3000);
}
