/** What the tests in the extension host share. */
import * as assert from 'node:assert/strict';
import { watch } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import type { Entry, SessionInfo } from '../../src/contract';
import { inert } from '../../src/questions';

export const workspace = process.env.ACPLS_TEST_WORKSPACE ?? '';

/** The extension, started. */
export async function theApp(): Promise<App> {
  const extension = vscode.extensions.getExtension<App>('acp-ls.acp-ls');
  assert.ok(extension, 'the extension is not there');
  const app = await extension.activate();
  await app.start();
  assert.equal(app.model.serverState().state, 'running', app.model.serverState().message);
  if (theApps.length === 0) {
    theApps.push(app.onDidChange);
  }
  return app;
}

type News = (look: () => void) => vscode.Disposable;

/** What tells that the extension, once it is there, has learned something. */
const theApps: News[] = [];

/** What tells that something has happened in VS Code, or on disk. */
const news: News[] = [
  vscode.workspace.onDidChangeTextDocument,
  vscode.workspace.onDidSaveTextDocument,
  vscode.workspace.onDidOpenTextDocument,
  vscode.workspace.onDidCloseTextDocument,
  vscode.window.onDidChangeActiveTextEditor,
  vscode.window.onDidChangeVisibleTextEditors,
  vscode.window.onDidChangeTextEditorSelection,
  vscode.window.onDidChangeTextEditorVisibleRanges,
  vscode.window.tabGroups.onDidChangeTabs,
  vscode.window.tabGroups.onDidChangeTabGroups,
  (look) => {
    const watcher = watch(workspace, look);
    return new vscode.Disposable(() => watcher.close());
  },
];

/** How long something may take that happens: what takes seconds takes a busy machine ten times that. */
export const patience = 60_000;

/** Looks, whenever something has happened, until `look` gives something, and returns that. */
export function until<T>(
  what: string,
  look: () => T | undefined | false | null,
  ms = patience,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const again = () => {
      try {
        const found = look();
        if (found) {
          end();
          resolve(found);
        }
      } catch (err) {
        end();
        reject(err);
      }
    };
    const timer = setTimeout(() => {
      end();
      // That it is there now, and nothing has told of it, is no better.
      reject(new assert.AssertionError({ message: `never: ${what}` }));
    }, ms);
    const listening = [...news, ...theApps].map((listen) => listen(again));
    function end(): void {
      clearTimeout(timer);
      vscode.Disposable.from(...listening).dispose();
    }
    again();
  });
}

/** Waits until a question takes answers. */
export async function takesAnswers({ since }: { since: number }): Promise<void> {
  for (let left = 1; left > 0; left = since + inert - Date.now()) {
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}

export function fileOf(name: string): string {
  return path.join(workspace, name);
}

export async function write(name: string, text: string): Promise<string> {
  await fs.mkdir(path.dirname(fileOf(name)), { recursive: true });
  await fs.writeFile(fileOf(name), text);
  return fileOf(name);
}

export function read(name: string): Promise<string> {
  return fs.readFile(fileOf(name), 'utf8');
}

/** Writes a file and opens it in front. */
export async function open(name: string, text?: string): Promise<vscode.TextDocument> {
  if (text !== undefined) {
    await write(name, text);
  }
  const document = await vscode.workspace.openTextDocument(fileOf(name));
  await vscode.window.showTextDocument(document, { preview: false });
  return document;
}

/** Types, as the user would, in the editor in front. */
export async function type(line: number, character: number, text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor);
  editor.selection = new vscode.Selection(line, character, line, character);
  await vscode.commands.executeCommand('type', { text });
}

export async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    // Settings are written, through a document, by VS Code itself.
    if (document.isDirty && vscode.workspace.getWorkspaceFolder(document.uri)) {
      await vscode.window.showTextDocument(document, { preview: false });
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/**
 * Ends what an earlier test has left, as one that has failed: turns, documents, and what there is
 * to decide on. Returns the session, if it is one that takes prompts, or a new one.
 */
export async function anew(app: App, session = ''): Promise<string> {
  await app.start();
  const runs = (one?: SessionInfo) =>
    one && app.model.isAlive(one.session) && /^(running|waiting)$/.test(one.state);
  // One after the other: the prompts that wait come to run.
  for (let one = app.model.sessions().find(runs); one; one = app.model.sessions().find(runs)) {
    const { session, turn } = one;
    const now = () => app.model.session(session);
    await app.execute('acp.cancel', { session });
    await until('the turn ends', () => !runs(now()) || now()?.turn !== turn);
  }
  await closeAll();
  // What was closed unsaved has the disk's text again: what agents have put there comes back then.
  const list = async () => (await app.execute('acp.review.list', {})).files;
  const decide = async () => {
    for (const { hunks } of await list()) {
      for (const { id } of hunks.filter(({ state }) => state === 'conflict')) {
        await app.execute('acp.review.resolve', { hunk: id, take: 'mine' });
      }
    }
    await app.execute('acp.review.accept', {});
  };
  await decide();
  let refused: unknown;
  await until('nothing is left', () => {
    const left = app.review.counts().files > 0;
    if (left) {
      decide().catch((err) => {
        refused = err;
      });
    }
    return !left;
  }).catch(async () => {
    const shown = JSON.stringify(app.review.counts());
    assert.fail(`left: ${JSON.stringify(await list())}, shown: ${shown}, refused: ${refused}`);
  });
  return app.model.session(session)?.state === 'idle' ? session : startSession(app);
}

/** A session with the agent of tests (test/agent.mjs), which is shown in the chat. */
export async function startSession(app: App): Promise<string> {
  await app.chat.start('script');
  const session = app.model.currentSession();
  assert.ok(session);
  await until('session is idle', () => app.model.session(session.session)?.state === 'idle');
  return session.session;
}

/** Has the agent do steps, and waits for the turn's end. */
export async function prompt(app: App, session: string, steps: object[]): Promise<string> {
  const result = await app.execute('acp.prompt', {
    session,
    text: JSON.stringify(steps),
    wait: true,
  });
  assert.equal(result.stopReason, 'end_turn');
  return result.turn;
}

/** Has the agent do steps, and does not wait. */
export async function begin(app: App, session: string, steps: object[]): Promise<void> {
  await app.execute('acp.prompt', { session, text: JSON.stringify(steps) });
}

/** What is said in the transcript that is shown, of one kind. */
export function said(app: App, kind: Entry['kind']): string[] {
  return app.model
    .state()
    .entries.filter((entry) => entry.kind === kind)
    .map(({ text }) => text ?? '');
}

/** The hunks of a document, as the extension knows them: lines and state. */
export function hunks(app: App, document: vscode.TextDocument): string[] {
  return (app.review.file(document.uri.toString())?.hunks ?? []).map(
    ({ hunk, lines }) => `${hunk.state} ${lines.start}-${lines.end}`,
  );
}

export function hunksAre(
  app: App,
  document: vscode.TextDocument,
  ...want: string[]
): Promise<unknown> {
  return until(
    `hunks are [${want}] but [${hunks(app, document)}]`,
    () => hunks(app, document).join() === want.join(),
  ).catch(() => assert.deepEqual(hunks(app, document), want));
}
