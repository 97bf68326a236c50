/** The view that the chat's page is in. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { Early } from './early';
import type { HostMessage, PageMessage } from './protocol';

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  static readonly id = 'acpls.chat';

  private view: vscode.WebviewView | undefined;
  private ready = false;
  /** What waits for the page to be loaded. */
  private waiting: HostMessage[] = [];
  private readonly early = new Early((typed) => {
    // The user has gone elsewhere: what they typed is kept, and takes no focus.
    this.waiting = this.waiting.filter(({ type }) => type !== 'focus');
    for (const one of typed) {
      this.postWhenReady({ type: 'typed', ...one });
    }
  });
  private readonly disposables: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly onMessage: (message: PageMessage) => void,
    private readonly onVisible: (visible: boolean) => void,
  ) {
    this.disposables = [
      this.early,
      vscode.window.registerWebviewViewProvider(ChatView.id, this, {
        // A page that has to be loaded anew gets none of the keys that are pressed meanwhile.
        webviewOptions: { retainContextWhenHidden: true },
      }),
    ];
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
    view.onDidChangeVisibility(() => this.onVisible(view.visible));
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

  /**
   * Shows the view and puts the focus where it is needed. The page takes it, which is one step: VS Code
   * gives it to the frame around the page first, and keys that are pressed until that has passed it
   * on are lost.
   */
  async focus(on: 'input' | 'question'): Promise<void> {
    this.postWhenReady({ type: 'focus', on });
    if (!this.ready && on === 'input') {
      this.early.show();
    }
    if (!this.visible) {
      await vscode.commands.executeCommand(`${ChatView.id}.focus`, { preserveFocus: true });
    }
  }

  /** The page has done what it could to have the focus. */
  private async focused(has: boolean): Promise<void> {
    if (!has) {
      await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    }
    // What was typed until the page had the focus has been told before this.
    for (const typed of this.early.end()) {
      this.post({ type: 'typed', ...typed });
    }
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
    if (message.type === 'focused') {
      void this.focused(message.has);
      return;
    }
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
