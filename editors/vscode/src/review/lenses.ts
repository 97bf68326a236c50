/**
 * Keeps code lenses alive. VS Code lets go of what it is about to ask for when the editor loses
 * the focus: after a decision those of before stay then. While it asks for new ones because another
 * document comes to the front, or some extension begins to give lenses, those of before do nothing
 * when they are clicked, and may stay so. So it is made to ask again a little later, as long as
 * there is something to decide on, and once more: in whatever file, as the lenses of one may stand
 * in the tab of another name.
 */
import * as vscode from 'vscode';
import { isOurs } from '../editor';
import type { ReviewState } from './state';

/** When, in milliseconds: the second time is for machines that are slow to start. */
const later = [1000, 5000];

export class Lenses implements vscode.Disposable {
  private timers: NodeJS.Timeout[] = [];
  /** Whether there may be some: there was something to decide on when this was last looked at. */
  private some = false;
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
    const were = this.some;
    this.some = this.state.counts().files > 0;
    const shown = vscode.window.visibleTextEditors.find(({ document }) => isOurs(document));
    if (shown !== undefined && (were || this.some)) {
      this.ask(shown.document); // and those of all others with it
    }
  }
}
