/** Documents that stand for a file as it was before, or for one that is gone, and their tabs. */
import * as vscode from 'vscode';
import type { FileReview, ReviewState } from './state';

const baseScheme = 'acp-base';

/** The document that shows a file as it would be if every undecided change were rejected. */
export function baseUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: baseScheme });
}

const goneScheme = 'acpls-gone';

/** The document that stands for a file that is deleted: there is nothing in it. */
export function goneUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: goneScheme });
}

export function isAside({ scheme }: vscode.Uri): boolean {
  return scheme === baseScheme || scheme === goneScheme;
}

/** The file that a document is of. */
export function fileOf(state: ReviewState, uri: vscode.Uri): string {
  const of = uri.toString();
  const isOf = (file: FileReview) =>
    vscode.Uri.parse(file.uri).with({ scheme: uri.scheme }).toString() === of;
  return isAside(uri) ? (state.all().find(isOf)?.uri ?? of) : of;
}

/** Sees to it that no tab shows a file as deleted when that has been decided on. */
export class Gone implements vscode.Disposable {
  /** The file that is decided on where it is shown, if any: the focus is there, and goes on to what comes next. */
  decided: string | undefined;
  private readonly contents = vscode.workspace.registerTextDocumentContentProvider(goneScheme, {
    provideTextDocumentContent: () => '',
  });

  constructor(private readonly state: ReviewState) {}

  dispose(): void {
    this.contents.dispose();
  }

  /** What there is to decide on has changed. */
  refresh(): void {
    const done = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => this.isDone(tab));
    if (done.length > 0) {
      const isHere = done.some(
        ({ input, isActive, group }) =>
          isActive && group.isActive && sameFile(shownAside(input), this.decided),
      );
      // VS Code knows no more of one that was closed meanwhile.
      vscode.window.tabGroups.close(done, !isHere).then(undefined, () => undefined);
    }
  }

  private isDone({ input }: vscode.Tab): boolean {
    const uri = shownAside(input);
    const file = uri && this.state.file(fileOf(this.state, uri));
    const isDiff = input instanceof vscode.TabInputTextDiff;
    return uri !== undefined && (isDiff ? file?.review.file?.op !== 'delete' : file === undefined);
  }
}

/** What a tab shows of a file that is deleted, as it was before: beside nothing, or by itself. */
function shownAside(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff) {
    return input.modified.scheme === goneScheme ? input.original : undefined;
  }
  return input instanceof vscode.TabInputText && isAside(input.uri) ? input.uri : undefined;
}

function sameFile(aside: vscode.Uri | undefined, file: string | undefined): boolean {
  const of = file === undefined ? undefined : baseUri(vscode.Uri.parse(file));
  return of !== undefined && aside?.toString() === of.toString();
}
