/**
 * The editor with all changes side by side. VS Code shows in it the files that it was opened with, and
 * lets nobody change which those are, nor open it without giving it the focus. So it is closed when
 * nothing of what it shows is left to decide on, and is opened anew, in its place, when the
 * user comes back to it and other files are changed by then.
 */
import * as vscode from 'vscode';
import { roundTrip } from '../edits';
import { baseUri } from './aside';
import type { FileReview, ReviewState } from './state';

const title = 'Changes by agents';

/** What a command is run with that was chosen in the chat, where the focus stays. */
export const inChat = 'chat';

export class Together implements vscode.Disposable {
  /** The files that it was opened with; undefined: that was before this window was loaded anew. */
  private shown: Set<string> | undefined;
  private front = false;
  /** The user has decided last by a command, a key or a lens: if it is in front the focus is there, and goes on. */
  hasFocus = false;
  private busy: Promise<void> = Promise.resolve();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly state: ReviewState) {
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    this.listeners = [onDidChangeTabs(() => this.look()), onDidChangeTabGroups(() => this.look())];
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }

  /** Shows all changed files, in the place of the editor that shows those of before. */
  open(): Promise<void> {
    return this.inOrder(async () => {
      if (this.files().length === 0) {
        void vscode.window.showInformationMessage('There are no changes to review.');
      } else {
        await this.openAnew();
      }
    });
  }

  /** What there is to decide on has changed. */
  refresh(): void {
    if (tabs().length > 0) {
      this.soon(() => this.closeDone());
    }
  }

  private look(): void {
    const was = this.front;
    this.front = isInFront();
    if (this.front && !was) {
      this.soon(() => this.cameBack());
    }
  }

  /** What comes to nothing leaves the editor as it is. */
  private soon(act: () => Promise<void>): void {
    this.inOrder(act).catch(() => undefined);
  }

  private inOrder(act: () => Promise<void>): Promise<void> {
    const done = this.busy.then(act);
    this.busy = done.catch(() => undefined);
    return done;
  }

  private async openAnew(): Promise<void> {
    const files = this.files();
    await vscode.commands.executeCommand(
      'vscode.changes',
      title,
      files.map(({ uri, review }) => {
        const now = vscode.Uri.parse(uri);
        const created = review.file?.op === 'create';
        const deleted = review.file?.op === 'delete';
        return [now, created ? undefined : baseUri(now), deleted ? undefined : now];
      }),
    );
    await roundTrip();
    this.shown = new Set(files.map(({ uri }) => uri));
    // One that VS Code shows for a look only was replaced.
    if (isInFront()) {
      await vscode.window.tabGroups.close(
        tabs().filter((tab) => !tab.isActive || !tab.group.isActive),
        true,
      );
    }
  }

  /** The user has come to such an editor, or one was opened. */
  private async cameBack(): Promise<void> {
    const { shown } = this;
    const files = this.files();
    const isSame = shown?.size === files.length && files.every(({ uri }) => shown.has(uri));
    if (isInFront() && !isSame && files.length > 0) {
      await this.openAnew();
    }
  }

  private async closeDone(): Promise<void> {
    const left = new Set(this.files().map(({ uri }) => uri));
    if ([...(this.shown ?? left)].every((uri) => !left.has(uri))) {
      await vscode.window.tabGroups.close(tabs(), !(this.hasFocus && isInFront()));
    }
  }

  /** What can be shown: text. */
  private files(): FileReview[] {
    return this.state.all().filter(({ review }) => review.file?.opaque === undefined);
  }
}

/** VS Code tells of such a tab no more than how it is called. */
function isTogether({ label, input }: vscode.Tab): boolean {
  return label.startsWith(title) && !(input instanceof vscode.TabInputText);
}

function isInFront(): boolean {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  return activeTab !== undefined && isTogether(activeTab);
}

/** Whoever holds on to one does so in vain: VS Code makes them anew. */
function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isTogether));
}
