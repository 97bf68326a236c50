/** The view that the chat's page is in. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { HostMessage, PageMessage } from './protocol';

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = 'acpls.chat';

  private view: vscode.WebviewView | undefined;
  private ready = false;
  /** What waits for the page to be loaded. */
  private waiting: HostMessage[] = [];
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly onMessage: (message: PageMessage) => void,
    private readonly onVisible: (visible: boolean) => void,
  ) {
    this.disposables = [vscode.window.registerWebviewViewProvider(ChatView.id, this)];
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: PageMessage) => this.received(message));
    view.onDidChangeVisibility(() => {
      if (!view.visible) {
        this.ready = false; // the page is thrown away, and says `ready` when it is back
      }
      this.onVisible(view.visible);
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.ready = false;
      this.onVisible(false);
    });
    view.webview.html = page(view.webview, dist);
    this.onVisible(view.visible);
  }

  get visible(): boolean {
    return this.view?.visible === true;
  }

  /** Shows the view and puts the focus where it is needed. */
  async focus(on: 'input' | 'question'): Promise<void> {
    await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    this.postWhenReady({ type: 'focus', on });
  }

  /** Tells the page of a change of the state. One that is not loaded gets all of it later. */
  post(message: HostMessage): void {
    if (this.ready) {
      void this.view?.webview.postMessage(message);
    }
  }

  /** Tells the page what is no part of the state, now or when it is loaded. */
  postWhenReady(message: HostMessage): void {
    if (this.ready) {
      this.post(message);
    } else {
      this.waiting.push(message);
    }
  }

  setBadge(questions: number): void {
    if (this.view !== undefined) {
      this.view.badge =
        questions > 0 ? { value: questions, tooltip: 'questions to answer' } : undefined;
    }
  }

  private received(message: PageMessage): void {
    if (message.type === 'ready') {
      this.ready = true;
    }
    this.onMessage(message);
    if (message.type === 'ready') {
      for (const waiting of this.waiting.splice(0)) {
        this.post(waiting);
      }
    }
  }
}

/** Nothing but our own script and style is loaded, and nothing is fetched. */
function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64url');
  const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    `img-src ${webview.cspSource} data:`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('chat.css')}">
<title>Chat</title>
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${uri('chat.js')}"></script>
</body>
</html>`;
}
