/**
 * Keeps code lenses alive. While VS Code asks for new ones, as when another document comes to the
 * front or some extension begins to give lenses, it shows those of before, which do nothing when
 * they are clicked. If it then comes to nothing (the editor has lost the focus), they stay. So it
 * is made to ask again a little later.
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
