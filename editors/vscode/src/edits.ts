/**
 * Edits of documents. VS Code gives all text that is put into a document the line ends this has.
 * Where others are wanted, they are turned in a step of their own, after the rest: what is in one
 * undo step with that VS Code would undo in the wrong places, which it counts in characters.
 */
import * as vscode from 'vscode';
import type { TextEdit, WorkspaceEdit } from 'vscode-languageclient/node';
import { difference, endsOf, lf } from './text';

/** How often it is tried to turn line ends: VS Code refuses an edit if a key came before it. */
const mostTries = 20;

/** How often VS Code is to refuse saving a document that has nothing unsaved: it is read-only then. */
const refusals = 2;

export type Ends = '\n' | '\r\n';

/** That a document is to have another text, with the other kind of line ends. */
interface Turn {
  document: vscode.TextDocument;
  want: string;
}

/** What an edit is of, if that is one document, and of the version that there is. */
function ofOne({
  documentChanges,
}: WorkspaceEdit): { document: vscode.TextDocument; edits: TextEdit[] } | undefined {
  const change = documentChanges?.length === 1 ? documentChanges[0] : undefined;
  if (change === undefined || !('textDocument' in change)) {
    return undefined;
  }
  const document = find(change.textDocument.uri);
  if (document === undefined || document.version !== change.textDocument.version) {
    return undefined;
  }
  const edits = change.edits.filter((edit): edit is TextEdit => 'newText' in edit);
  return { document, edits };
}

/** What an edit turns; undefined if it turns nothing, or is of another version. */
export function turnOf(edit: WorkspaceEdit): Turn | undefined {
  const of = ofOne(edit);
  if (of === undefined) {
    return undefined;
  }
  const { document, edits } = of;
  const own = eolOf(document);
  const isOwn = (ends: ReturnType<typeof endsOf>): boolean => ends === undefined || ends === own;
  if (edits.every(({ newText }) => isOwn(endsOf(newText)))) {
    return undefined;
  }
  const want = withEdits(document, edits);
  const ends = endsOf(want);
  return ends === 'mixed' || isOwn(ends) ? undefined : { document, want };
}

/** The answer to an edit that is not made because its document is read-only. */
export const heldBack = {
  applied: false,
  failureReason: 'it is set so in VS Code ("Set Active Editor Writeable in Session" undoes that)',
  acp: { readOnly: true },
};

/**
 * Whether an edit is of a document that is read-only: VS Code makes it all the same, calls the
 * document saved, and saves it never. It tells nobody which are, but saves none of them, where it has
 * nothing to do for others that have no unsaved text. One that is typed in then is another one, and
 * may not be saved at once: what has changed meanwhile is not read-only. Keys that are on their way are
 * waited for first, for what the user has just begun is not to be saved.
 */
export async function isHeld(edit: WorkspaceEdit): Promise<boolean> {
  const document = ofOne(edit)?.document;
  if (document?.uri.scheme !== 'file') {
    return false;
  }
  const { version } = document;
  const isAsBefore = (): boolean =>
    !document.isClosed && !document.isDirty && document.version === version;
  for (let refused = 0; refused < refusals; refused++) {
    if (isAsBefore()) {
      await roundTrip();
    }
    if (!isAsBefore() || (await document.save()) || !isAsBefore()) {
      return false;
    }
  }
  return true;
}

/** Makes it so, and tells whether that was done. The document is still what `turnOf` has seen. */
export async function turn({ document, want }: Turn): Promise<boolean> {
  if (!(await replaceText(document, sameEnds(document, want)))) {
    return false;
  }
  return turnEnds(document, endsOf(want) === '\n' ? '\n' : '\r\n');
}

/** Gives a document other line ends, and tells whether it has them. */
export async function turnEnds(document: vscode.TextDocument, ends: Ends): Promise<boolean> {
  const to = ends === '\n' ? vscode.EndOfLine.LF : vscode.EndOfLine.CRLF;
  for (let tries = 0; tries < mostTries && eolOf(document) !== ends; tries++) {
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, [vscode.TextEdit.setEndOfLine(to)]);
    await vscode.workspace.applyEdit(edit);
  }
  return eolOf(document) === ends;
}

/** The text of a document with edits, which are ascending and do not overlap. */
function withEdits(document: vscode.TextDocument, edits: TextEdit[]): string {
  const text = document.getText();
  let done = 0;
  let made = '';
  for (const { range, newText } of edits) {
    const at = ({ line, character }: { line: number; character: number }): number =>
      document.offsetAt(new vscode.Position(line, character));
    made += text.slice(done, at(range.start)) + newText;
    done = at(range.end);
  }
  return made + text.slice(done);
}

/** The open document of a URI, however that is spelled. */
export function find(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

/** Whether a document is what commands for files work on: of two side by side it is the right one. */
export function isInFront(document: vscode.TextDocument): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri =
    input instanceof vscode.TabInputText
      ? input.uri
      : input instanceof vscode.TabInputTextDiff
        ? input.modified
        : undefined;
  return uri?.toString() === document.uri.toString();
}

/** A text with the line ends of a document. */
export function sameEnds(document: vscode.TextDocument, text: string): string {
  return withEnds(text, eolOf(document));
}

/** A text with these line ends. */
export function withEnds(text: string, ends: Ends): string {
  return lf(text).replace(/\n/g, ends);
}

/** The line ends of a document. */
export function eolOf(document: vscode.TextDocument): Ends {
  return document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
}

/**
 * Makes an edit as VS Code does not: that narrows what is replaced in the active editor to what
 * differs, unit by unit, and so cuts characters in two that begin alike (👍 and 👎). Undefined if
 * it cannot come to that, and it has done nothing.
 */
export async function makeUncut(edit: WorkspaceEdit): Promise<boolean | undefined> {
  const of = ofOne(edit);
  if (of === undefined) {
    return undefined;
  }
  return putUncut(
    of.document,
    of.edits.map(({ range: { start, end }, newText }) => [
      new vscode.Range(start.line, start.character, end.line, end.character),
      newText,
    ]),
  );
}

const surrogate = /[\uD800-\uDFFF]/;

async function putUncut(
  document: vscode.TextDocument,
  edits: [vscode.Range, string][],
): Promise<boolean | undefined> {
  const cuts = ([range, text]: [vscode.Range, string]): boolean =>
    surrogate.test(text) && surrogate.test(document.getText(range));
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  if (editor === undefined || !edits.some(cuts)) {
    return undefined;
  }
  return editor.edit((builder) => {
    for (const [range, text] of edits) {
      builder.replace(range, text);
    }
  });
}

/**
 * Replaces what differs, so that cursors elsewhere stay. VS Code refuses the edit if the document
 * has changed meanwhile.
 */
export async function replaceText(document: vscode.TextDocument, want: string): Promise<boolean> {
  const have = document.getText();
  if (have === want) {
    return true;
  }
  const { start, end, insert } = difference(have, want);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  const done = await putUncut(document, [[range, insert]]);
  if (done !== undefined) {
    return done;
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, insert);
  return vscode.workspace.applyEdit(edit);
}

/** Resolves when all that VS Code's window has done up to now has been told. */
export async function roundTrip(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'acpls.roundTrip', true);
}
