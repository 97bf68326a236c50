/** What the tests in the extension host share. */
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import type { Entry } from '../../src/contract';

export const workspace = process.env.ACPLS_TEST_WORKSPACE ?? '';

/** The extension, started. */
export async function theApp(): Promise<App> {
  const extension = vscode.extensions.getExtension<App>('acp-ls.acp-ls');
  assert.ok(extension, 'the extension is not there');
  const app = await extension.activate();
  await app.start();
  assert.equal(app.model.serverState().state, 'running', app.model.serverState().message);
  return app;
}

/** Waits until `look` gives something, and returns that. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null,
  ms = 10_000,
): Promise<T> {
  for (const deadline = Date.now() + ms; ; ) {
    const found = look();
    if (found) {
      return found;
    }
    assert.ok(Date.now() < deadline, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
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
