/**
 * acp/moved: tabs follow a file that acp-ls has given another name. VS Code lets them stand with a name
 * that is gone, and makes that file again when they are saved.
 */
import * as vscode from 'vscode';
import type { Notifications } from './contract';
import { find, isInFront, replaceText, sameEnds, tabsOf } from './edits';

/** How often what is unsaved is taken along, each time because a key came meanwhile. */
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
  let given: string | undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    if (old.isDirty) {
      if (now.isDirty && now.getText() !== given) {
        return; // it has unsaved text of its own: nothing is lost where both stand
      }
      given = sameEnds(now, old.getText());
      if (!(await replaceText(now, given))) {
        return;
      }
      await revert(old);
    }
    for (const place of places) {
      await show(now, place, inEditor);
    }
    if (!old.isDirty) {
      break;
    }
  }
  if (!places.some(({ shown }) => shown) && before !== undefined && !isInFront(before.document)) {
    await vscode.window.showTextDocument(before.document, before.viewColumn, !inEditor);
  }
  if (!old.isDirty) {
    await vscode.window.tabGroups.close(tabsOf(old), true);
  }
}

/** Gives up what is unsaved in a document, which VS Code asks about otherwise where it is closed. */
async function revert(document: vscode.TextDocument): Promise<void> {
  if (!isInFront(document)) {
    await vscode.window.showTextDocument(document, undefined, true);
  }
  await vscode.commands.executeCommand('workbench.action.files.revert');
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
