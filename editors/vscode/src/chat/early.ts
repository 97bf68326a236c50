/**
 * Takes what is typed while the chat's page is being loaded, which the page cannot get: VS Code gives
 * the focus to a page that is not there yet, and such keys are lost. An input box of VS Code's own
 * is there at once. What was typed in it goes to the page, which takes the focus from it.
 */
import * as vscode from 'vscode';

/** What was typed, and whether Enter was behind it. */
export interface Typed {
  text: string;
  send: boolean;
}

export class Early implements vscode.Disposable {
  private box: vscode.InputBox | undefined;
  /** What there was before Enter. */
  private sent = '';

  /** @param given is called when the user has put the box away, with what they had typed */
  constructor(private readonly given: (typed: Typed[]) => void) {}

  get shown(): boolean {
    return this.box !== undefined;
  }

  show(): void {
    if (this.box !== undefined) {
      return;
    }
    const box = vscode.window.createInputBox();
    this.box = box;
    this.sent = '';
    box.placeholder = 'Ask the agent';
    box.prompt = 'The chat is being opened.';
    box.ignoreFocusOut = true; // the page takes the focus first, and what is on its way still comes
    box.onDidAccept(() => {
      this.sent = [this.sent, box.value].filter((text) => text !== '').join('\n');
      box.value = '';
    });
    box.onDidHide(() => {
      if (this.box === box) {
        this.given(this.end());
      }
    });
    box.show();
  }

  /** Puts the box away. Returns what was typed in it. */
  end(): Typed[] {
    const { box, sent } = this;
    this.box = undefined;
    const typed = [
      { text: sent, send: true },
      { text: box?.value ?? '', send: false },
    ];
    box?.dispose();
    return typed.filter(({ text }) => text !== '');
  }

  dispose(): void {
    this.end();
  }
}
