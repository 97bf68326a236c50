/** The commands `acpls.*`. */
import * as vscode from 'vscode';
import type { App, Decide } from './app';
import { registerDiffDocuments } from './chat/diff';
import type { FileChange } from './contract';
import { InOrder } from './inOrder';
import * as pick from './pick';
import { fileOf as fileOfDocument, isAside } from './review/aside';
import { go, inFront, isCell, openDiff, show } from './review/changes';
import { peek } from './review/gutter';
import type { Lines } from './review/lines';
import { type FileReview, isWhole, plural, wholeOf } from './review/state';
import { inChat } from './review/together';
import type { Node } from './review/tree';

/** For how long, in milliseconds, a key waits for what the key before it does: on a busy machine that takes seconds. */
const patience = 30_000;

interface LinePlace {
  uri: string;
  line: number;
}

export function registerCommands(app: App): vscode.Disposable[] {
  const commands: Record<string, (...args: never[]) => unknown> = {
    openChat: () => app.chat.open(),
    newSession: () => pick.newSession(app),
    defaultAgent: () => pick.defaultAgent(app),
    sessions: () => pick.session(app),
    closeSession: () => closeSession(app),
    stop: () => stop(app),
    addSelection: () => app.chat.addSelection(),
    questions: () => showQuestions(app),
    showHunk: (place: LinePlace) => show(place.uri, place.line),
    ...decisions(app),
    openDiff: (of?: Node | vscode.Uri) => {
      const file = fileOf(app, of);
      return file && openDiff(file);
    },
    undoTurn: () => pick.undo(app),
    restore: () => pick.restore(app),
    login: () => pick.login(app),
    transcript: () => transcript(app),
    restart: () => pick.restart(app),
    settings: () => vscode.commands.executeCommand('workbench.action.openSettings', 'acpls.'),
    showLog: () => app.output.show(),
  };
  return [
    ...Object.entries({ ...commands, ...keyCommands(app) }).map(([name, run]) =>
      vscode.commands.registerCommand(`acpls.${name}`, run as (...args: unknown[]) => unknown),
    ),
    registerDiffDocuments(),
  ];
}

/** What is done with changes, if there are any. */
function decisions(
  app: App,
): Record<string, (of?: Node | vscode.Uri | typeof inChat) => Promise<void>> {
  const acts: Record<string, (of?: Node | vscode.Uri) => Promise<void>> = {
    acceptFile: (of) => decideFile(app, 'acp.review.accept', fileOf(app, of)?.uri, isNode(of)),
    rejectFile: (of) => decideFile(app, 'acp.review.reject', fileOf(app, of)?.uri, isNode(of)),
    acceptAll: () => decideAll(app, 'acp.review.accept'),
    rejectAll: () => decideAll(app, 'acp.review.reject'),
    acceptTurn: () => pick.decideTurn(app, 'acp.review.accept'),
    rejectTurn: () => pick.decideTurn(app, 'acp.review.reject'),
    reviewChanges: () => app.together.open(),
  };
  return Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [
      name,
      async (of) => {
        app.together.hasFocus = of !== inChat && !isNode(of);
        if (!(await app.saysNothing())) {
          await act(of === inChat ? undefined : of);
        }
      },
    ]),
  );
}

/** What a key that does nothing is run with. */
const nothing = 'nothing';

/**
 * What is done by keys, maybe in haste. A decision is about the change that the key before has gone
 * to, or else the one at the cursor as the key was pressed, which may be elsewhere in a moment; and
 * the next change comes after the one that the key before has decided on.
 */
function keyCommands(app: App): Record<string, (of?: unknown) => Promise<void>> {
  const order = new InOrder(patience);
  let going = 0;
  const goes = (step: 1 | -1) => () => {
    going++;
    return order.run(() => go(app.review, step).finally(() => going--));
  };
  const decides = (command: Decide) => () => {
    const pressed = going > 0 ? undefined : pressedAt(app);
    return order.run(() => decideHere(app, command, pressed ?? pressedAt(app)));
  };
  const acts: Record<string, (of?: LinePlace) => Promise<void>> = {
    nextHunk: goes(1),
    previousHunk: goes(-1),
    peekHunk: (place) => order.run(() => peekHere(app, place)),
    acceptHunk: decides('acp.review.accept'),
    rejectHunk: decides('acp.review.reject'),
  };
  return Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [
      name,
      async (of) => (of === nothing ? undefined : act(of as LinePlace | undefined)),
    ]),
  );
}

/**
 * Runs what keys do once, to no effect. When a command is run for the first time VS Code asks first
 * for the extension that it is of, and later keys, whose commands have been run, come before it.
 */
export async function warmUp(app: App): Promise<void> {
  const commands = Object.keys(keyCommands(app)).map((name) => ({
    command: `acpls.${name}`,
    args: nothing,
  }));
  await vscode.commands.executeCommand('runCommands', { commands });
}

/** Whether a command was chosen in the view of changes. */
function isNode(of: Node | vscode.Uri | typeof inChat | undefined): of is Node {
  return typeof of === 'object' && 'file' in of;
}

/** The file a command was clicked on, else the one in front. */
function fileOf(app: App, of: Node | vscode.Uri | undefined): FileReview | undefined {
  if (isNode(of)) {
    return app.review.file(of.file.uri);
  }
  const uri = of === undefined ? inFront(app.review)?.uri : fileOfDocument(app.review, of);
  return uri === undefined ? undefined : app.review.file(uri);
}

/** Shows what was there before a hunk: that of a lens, or the one at the cursor. */
async function peekHere(app: App, of?: LinePlace): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const at = editor && {
    uri: editor.document.uri.toString(),
    line: editor.selection.active.line,
  };
  const place = of ?? at;
  const here = place && app.review.at(place.uri, place.line)[0];
  if (place && here) {
    await peek(place.uri, here.lines);
  } else {
    vscode.window.setStatusBarMessage('There is no change on this line.', 3000);
  }
}

/** Where a key was pressed: in which file, and on which lines of which version of its document. */
interface Pressed {
  file: string | undefined;
  on: { document: vscode.TextDocument; version: number; lines: Lines } | undefined;
}

function pressedAt(app: App): Pressed {
  const file = inFront(app.review)?.uri;
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return { file, on: undefined };
  }
  const { document, selection } = editor;
  const { start, end } = selection;
  const to = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = { start: start.line, end: to };
  return { file, on: { document, version: document.version, lines } };
}

/** Decides on the hunks that the selection has touched, wherever they are by now. */
async function decideHere(app: App, command: Decide, { file: front, on }: Pressed): Promise<void> {
  app.together.hasFocus = true;
  const shown = front === undefined ? undefined : app.review.file(front);
  const isCursor = on !== undefined && !isAside(on.document.uri);
  const isFile = shown !== undefined && (isWhole(shown) || shown.review.file?.op === 'delete');
  if (isFile && !isCursor) {
    await decideFile(app, command, front); // it is gone, or no text: this is all there is to see of it
    return;
  }
  if (on === undefined) {
    return;
  }
  const uri = on.document.uri.toString();
  await app.catchUpWith([uri]);
  const { start, end } = app.review.since(uri, on.version, on.lines);
  const here = app.review.at(uri, start, Math.max(end - 1, start));
  if (here.some(({ hunk }) => hunk.state !== 'conflict')) {
    await app.perform(command, { hunks: here.map(({ hunk }) => hunk.id) }); // which says what it leaves
  } else if (here.length > 0) {
    await pick.resolve(app, here);
  } else {
    const file = app.review.file(uri)?.review.file;
    if (isCell(on.document) && shown !== undefined) {
      vscode.window.setStatusBarMessage(
        'What is changed in a notebook is decided on in its text: go to the next change.',
        6000,
      );
    } else if (file === undefined) {
      vscode.window.setStatusBarMessage('There is no change on this line.', 3000);
    } else {
      vscode.window.setStatusBarMessage(hintOf(command, file), 6000);
    }
  }
}

/** What decides on a change that is of no line. */
export function hintOf(command: Decide, file: FileChange): string {
  const name = command === 'acp.review.accept' ? 'Accept' : 'Reject';
  return `This file as a whole is ${wholeOf(file)}: ACP: ${name} All Changes of File.`;
}

/** Decides on all of a file; `chosen` tells that it was chosen in the view of changes. */
async function decideFile(
  app: App,
  command: Decide,
  uri: string | undefined,
  chosen = false,
): Promise<void> {
  if (uri !== undefined) {
    await app.catchUpWith([uri]);
  }
  const file = uri === undefined ? undefined : app.review.file(uri);
  if (file === undefined) {
    vscode.window.setStatusBarMessage('There is no change in this file.', 3000);
    return;
  }
  app.gone.decided = chosen ? undefined : file.uri;
  await app.perform(command, { uri: file.uri, rev: file.rev });
}

/**
 * All that is shown now, and nothing that comes meanwhile: by id. To accept a conflict would take
 * text of the user's away that may be out of sight; to reject one leaves it.
 */
async function decideAll(app: App, command: Decide): Promise<void> {
  await app.catchUpWith(app.review.all().map(({ uri }) => uri));
  const reviews = app.review.all().map(({ review }) => review);
  const shown = reviews.flatMap((review) => review.hunks);
  const left = shown.filter(({ state }) => command === 'acp.review.accept' && state === 'conflict');
  const hunks = [
    ...reviews.flatMap(({ file }) => (file === undefined ? [] : [file.id])),
    ...shown.filter((hunk) => !left.includes(hunk)).map(({ id }) => id),
  ];
  if (hunks.length > 0) {
    await app.perform(command, { hunks });
  }
  if (left.length > 0) {
    const are = left.length === 1 ? 'is' : 'are';
    void vscode.window.showWarningMessage(
      `${plural(left.length, 'conflict')} ${are} left: take mine, theirs or both.`,
    );
  }
}

async function showQuestions(app: App): Promise<void> {
  if (app.questions.count() === 0) {
    const open = await app.perform('acp.permission.list', {});
    app.questions.addEarlier(open?.questions ?? []);
  }
  if (app.questions.count() === 0) {
    void vscode.window.showInformationMessage('There is no question to answer.');
  } else {
    await app.chat.open('question');
  }
}

async function stop(app: App): Promise<void> {
  const session = app.model.currentSession();
  const busy = (state?: string) => /^(starting|running|waiting)$/.test(state ?? '');
  const which = busy(session?.state)
    ? session
    : app.model.sessions().find(({ state }) => busy(state));
  const { restart: deaf, text = '' } = (which && app.model.restartOffer(which.session)) ?? {};
  if (deaf !== undefined) {
    if ((await vscode.window.showWarningMessage(text, `Restart ${deaf}`)) !== undefined) {
      await pick.restartAgent(app, deaf);
    }
  } else if (which !== undefined) {
    await app.perform('acp.cancel', { session: which.session });
  }
}

async function closeSession(app: App): Promise<void> {
  const session = app.model.currentSession();
  if (session !== undefined && app.model.isAlive(session.session)) {
    await app.perform('acp.session.close', { session: session.session });
    app.last.forget(session);
  }
}

async function transcript(app: App): Promise<void> {
  const session = app.model.currentSession();
  if (session === undefined) {
    return;
  }
  const result = await app.perform('acp.session.transcript', { session: session.session });
  if (result !== undefined) {
    const document = await vscode.workspace.openTextDocument({
      language: 'markdown',
      content: result.markdown,
    });
    await vscode.window.showTextDocument(document);
  }
}
