/** The tree of changed files: each with what it adds and takes away, below it its hunks. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { find } from '../edits';
import { splitLines } from './lines';
import {
  conflictsOf,
  type FileReview,
  linesOf,
  type PlacedHunk,
  plural,
  type ReviewState,
  wholeOf,
} from './state';

export type Node = { file: FileReview; placed?: PlacedHunk };

export class ChangesTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.emitter.event;
  /** Made when there are changes: before, VS Code shows no such view. */
  private view: vscode.TreeView<Node> | undefined;

  constructor(private readonly state: ReviewState) {}

  dispose(): void {
    this.view?.dispose();
    this.emitter.dispose();
  }

  refresh(): void {
    const { hunks } = this.state.counts();
    if (hunks === 0 && this.view === undefined) {
      return;
    }
    this.view ??= vscode.window.createTreeView('acpls.files', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.view.badge = hunks > 0 ? { value: hunks, tooltip: plural(hunks, 'change') } : undefined;
    this.emitter.fire();
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.state.all().map((file) => ({ file }));
    }
    return node.placed === undefined
      ? node.file.hunks.map((placed) => ({ file: node.file, placed }))
      : [];
  }

  getTreeItem({ file, placed }: Node): vscode.TreeItem {
    return placed === undefined ? fileItem(file) : hunkItem(file, placed);
  }
}

function fileItem(file: FileReview): vscode.TreeItem {
  const uri = vscode.Uri.parse(file.uri);
  const item = new vscode.TreeItem(
    uri,
    file.hunks.length > 0
      ? vscode.TreeItemCollapsibleState.Collapsed
      : vscode.TreeItemCollapsibleState.None,
  );
  const folder = path.dirname(vscode.workspace.asRelativePath(uri));
  const counts = describeCounts(file);
  item.id = file.uri;
  item.iconPath = vscode.ThemeIcon.File;
  item.description = folder === '.' ? counts : `${folder}  ${counts}`;
  item.contextValue = 'file';
  item.command = { command: 'acpls.openDiff', title: 'Open Changes', arguments: [{ file }] };
  const where = folder === '.' ? '' : `${folder}, `;
  item.accessibilityInformation = {
    label: `${path.basename(uri.path)}, ${where}${plural(file.hunks.length, 'change')}, ${counts}`,
  };
  return item;
}

/** What there is to say of a file as a whole: that it is new, or executable now. */
export function describeWhole({ review: { file } }: FileReview): string {
  if (file === undefined) {
    return '';
  }
  const words = [];
  if (file.opaque === 'link') {
    words.push(`→ ${file.to ?? '?'}`);
  } else if (file.to !== undefined) {
    const name = vscode.workspace.asRelativePath(file.to);
    words.push(file.state === 'proposed' ? `to become ${name}` : `is ${name} now`);
  } else if (file.op !== 'modify' || file.mode !== undefined) {
    words.push(wholeOf({ ...file, state: 'pending' })); // what it is about to be, too
  }
  if (file.opaque === 'ends') {
    words.push('changed: its line ends');
  } else if (file.opaque !== undefined) {
    words.push(file.opaque);
  }
  return words.join(', ');
}

/** `+3 −1`, and what else there is to say. What is of no line has no such numbers. */
export function describeCounts(file: FileReview): string {
  const { added, removed } = linesOf(file.review, find(file.uri)?.getText());
  const conflicts = conflictsOf(file.review);
  const whole = describeWhole(file);
  return [
    whole,
    (added + removed > 0 || whole === '') && `+${added} −${removed}`,
    conflicts > 0 && plural(conflicts, 'conflict'),
  ]
    .filter(Boolean)
    .join(', ');
}

function hunkItem(file: FileReview, { hunk, lines }: PlacedHunk): vscode.TreeItem {
  const shown = splitLines(hunk.text).find((line) => line.trim() !== '');
  const gone = splitLines(hunk.baseText).find((line) => line.trim() !== '');
  const text = (shown ?? gone ?? '').trim();
  const [is, icon] =
    hunk.state === 'conflict'
      ? ['conflict', 'warning']
      : shown === undefined
        ? ['removed', 'remove']
        : gone === undefined
          ? ['added', 'add']
          : ['changed', 'edit'];
  const item = new vscode.TreeItem(
    hunk.state === 'conflict' ? `conflict: ${shown?.trim() ?? ''}` : text,
  );
  const [origin] = hunk.origins;
  item.id = `${file.uri}#${hunk.id}`;
  item.description = `${lines.start + 1}`;
  item.tooltip = origin?.title;
  item.contextValue = 'hunk';
  item.iconPath = new vscode.ThemeIcon(icon);
  item.accessibilityInformation = { label: `line ${lines.start + 1}, ${is}: ${text}` };
  item.command = {
    command: 'acpls.showHunk',
    title: 'Go to',
    arguments: [{ uri: file.uri, line: lines.start }],
  };
  return item;
}
