/**
 * acp/moved: tabs follow a file that acp-ls has given another name. VS Code lets them stand with a name
 * that is gone, and makes that file again when they are saved.
 */
import * as vscode from 'vscode';
import type { Notifications } from './contract';
import { find, isInFront, replaceText, sameEnds, tabsOf } from './edits';

/** How often what is unsaved is taken along, each time because a key came meanwhile, before both stand. */
const mostTries = 5;

/** Where a document stands. */
interface Place {
  viewColumn: vscode.ViewColumn;
  /** It is in front there. */
  shown: boolean;
  /** The user works there. */
  active: boolean;
  /** Until its place is taken. */
  editor: vscode.TextEditor | undefined;
}

/**
 * Shows the file where it is now, with what is unsaved, and closes what has its old name. The focus
 * goes along if it is in an editor: in one that gets another document it would be lost.
 */
export async function follow(
  { uri, to }: Notifications['acp/moved'],
  inEditor: boolean,
): Promise<void> {
  const old = find(uri);
  if (old === undefined) {
    return;
  }
  const places = tabsOf(old).map((tab) => placeOf(tab, old));
  const before = vscode.window.activeTextEditor;
  const now = await vscode.workspace.openTextDocument(vscode.Uri.parse(to));
  if (old.isDirty && !(await takeAlong(old, now))) {
    return; // nothing is lost where both stand
  }
  for (const place of places) {
    await show(now, place, inEditor);
  }
  if (!places.some(({ shown }) => shown) && before !== undefined && !isInFront(before.document)) {
    await vscode.window.showTextDocument(before.document, before.viewColumn, !inEditor);
  }
  if (!old.isDirty) {
    await vscode.window.tabGroups.close(tabsOf(old), true);
  }
}

/** Brings what is unsaved in a document into another one, and gives it up in that one. */
async function takeAlong(old: vscode.TextDocument, now: vscode.TextDocument): Promise<boolean> {
  if (now.isDirty) {
    return false; // it has unsaved text of its own
  }
  for (let tries = 0; tries < mostTries; tries++) {
    const given = old.getText();
    if (!(await replaceText(now, sameEnds(now, given)))) {
      return false;
    }
    if (old.getText() === given) {
      const last = await revert(old);
      return last === given || replaceText(now, sameEnds(now, last));
    }
  }
  return false; // somebody goes on typing
}

/**
 * Gives up what is unsaved in a document, which VS Code asks about otherwise where it is closed, and
 * tells what that was at last: a key may come in that moment.
 */
async function revert(document: vscode.TextDocument): Promise<string> {
  if (!isInFront(document)) {
    await vscode.window.showTextDocument(document, undefined, true);
  }
  const texts = [document.getText()];
  let left: string | undefined; // by the file, when nothing is unsaved
  const watching = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document !== document || left !== undefined) {
      return;
    }
    texts.push(document.getText());
    left = document.isDirty ? undefined : document.getText();
  });
  await vscode.commands.executeCommand('workbench.action.files.revert');
  watching.dispose();
  return texts.filter((text) => text !== left).at(-1) ?? document.getText();
}

function placeOf({ group, isActive }: vscode.Tab, document: vscode.TextDocument): Place {
  const editor = vscode.window.visibleTextEditors.find(
    (one) => one.document === document && one.viewColumn === group.viewColumn,
  );
  const active = isActive && group.isActive;
  return { viewColumn: group.viewColumn, shown: isActive, active, editor };
}

async function show(document: vscode.TextDocument, place: Place, inEditor: boolean): Promise<void> {
  const { viewColumn, shown, active } = place;
  const options = { viewColumn, preview: false, preserveFocus: !(inEditor && active) };
  if (!shown) {
    const behind = { ...options, background: true };
    await vscode.commands.executeCommand('vscode.open', document.uri, behind);
    return;
  }
  const { selections = [], visibleRanges = [] } = place.editor ?? {};
  place.editor = undefined;
  const editor = await vscode.window.showTextDocument(document, options);
  if (selections.length > 0) {
    editor.selections = selections;
  }
  const [top] = visibleRanges;
  if (top !== undefined) {
    editor.revealRange(top, vscode.TextEditorRevealType.AtTop);
  }
}
