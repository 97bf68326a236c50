/**
 * Keeps code lenses alive. VS Code lets go of what it is about to ask for when the editor loses
 * the focus: after a decision those of before stay then. While it asks for new ones because another
 * document comes to the front, or some extension begins to give lenses, those of before do nothing
 * when they are clicked, and may stay so. So it is made to ask again a little later.
 */
import * as vscode from 'vscode';
import type { ReviewState } from './state';

/** When, in milliseconds: the second time is for machines that are slow to start. */
const later = [1000, 5000];

export class Lenses implements vscode.Disposable {
  private timers: NodeJS.Timeout[] = [];
  private readonly listener = vscode.window.onDidChangeVisibleTextEditors(() => this.again());

  /** @param ask has VS Code ask for the lenses of a document */
  constructor(
    private readonly state: ReviewState,
    private readonly ask: (document: vscode.TextDocument) => void,
  ) {}

  dispose(): void {
    this.listener.dispose();
    this.timers.forEach(clearTimeout);
  }

  again(): void {
    this.timers.forEach(clearTimeout);
    this.timers = later.map((ms) => setTimeout(() => this.refresh(), ms));
  }

  private refresh(): void {
    const shown = vscode.window.visibleTextEditors.find(
      ({ document }) => this.state.file(document.uri.toString()) !== undefined,
    );
    if (shown !== undefined) {
      this.ask(shown.document); // and those of all others with it
    }
  }
}
