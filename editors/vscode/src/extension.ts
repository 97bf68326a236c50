/**
 * acp-ls in VS Code. All that could be got wrong is done by the program acp-ls; this extension
 * starts it, shows what it tells, and passes on what the user decides.
 *
 *	extension.ts   what VS Code calls
 *	app.ts         what lives as long as the window: views, commands, state
 *	connection.ts  one run of acp-ls, which can be ended and begun anew; loaded when it is needed
 *	contract.ts    every message (generated); handlers.ts answers those of acp-ls
 *	review/        changes to decide on: state, decorations, tree, going from one to the next
 *	chat/          the chat: model, view, and in ui/ the page in it
 */
import * as vscode from 'vscode';
import { App } from './app';

let app: App | undefined;

/**
 * Returns the parts that tests look at. In a workspace that is not trusted nothing is there yet, and
 * nothing is started: the view `acpls.untrusted`, of the manifest alone, says so.
 */
export function activate(context: vscode.ExtensionContext): App | undefined {
  if (!vscode.workspace.isTrusted) {
    context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => begin(context)));
    return undefined;
  }
  return begin(context);
}

function begin(context: vscode.ExtensionContext): App {
  const began = performance.now();
  app = new App(context);
  context.subscriptions.push(app);
  setImmediate(() => app?.begin());
  app.output.info(`activated in ${(performance.now() - began).toFixed(1)} ms`);
  return app;
}

/** VS Code waits for this, so that acp-ls and its agents have ended when the window is gone. */
export async function deactivate(): Promise<void> {
  await app?.stop();
}
