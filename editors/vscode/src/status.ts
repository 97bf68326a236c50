/** The one status item: what agents do, what they ask, and how much there is to decide on. */
import * as vscode from 'vscode';
import type { ServerState } from './chat/protocol';
import type { SessionInfo } from './contract';
import type { Counts } from './review/state';
import { plural } from './review/state';

export interface Status {
  server: ServerState;
  sessions: SessionInfo[];
  questions: number;
  counts: Counts;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'acpls.status',
    vscode.StatusBarAlignment.Right,
    90,
  );

  constructor() {
    this.item.name = 'acp-ls';
  }

  dispose(): void {
    this.item.dispose();
  }

  update(status: Status): void {
    const shown = describe(status);
    this.item.text = shown.text;
    this.item.tooltip = shown.tooltip;
    this.item.command = shown.command;
    this.item.backgroundColor = shown.urgent
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.accessibilityInformation = { label: shown.tooltip, role: 'button' };
    this.item.show(); // not before it says something
  }
}

export interface Shown {
  text: string;
  tooltip: string;
  command: string;
  urgent: boolean;
}

/** What the item says. Pure. */
export function describe({ server, sessions, questions, counts }: Status): Shown {
  if (server.state === 'failed') {
    return {
      text: '$(error) ACP',
      tooltip: `acp-ls does not run: ${server.message ?? 'see the log'}`,
      command: 'acpls.showLog',
      urgent: false,
    };
  }
  const busy = sessions.filter(({ state }) => state === 'running' || state === 'waiting');
  const who = [...new Set(busy.map(({ agent }) => agent))].join(', ');
  const pending = counts.hunks > 0 ? `  $(diff) ${counts.hunks}` : '';
  const waiting = counts.hunks > 0 ? [`${plural(counts.hunks, 'change')} to decide on`] : [];
  if (questions > 0) {
    return {
      text: `$(question) ${who || 'ACP'}${pending}`,
      tooltip: [`${plural(questions, 'question')} to answer`, ...waiting].join(', '),
      command: 'acpls.questions',
      urgent: true,
    };
  }
  if (busy.length > 0) {
    return {
      text: `$(sync~spin) ${who}${pending}`,
      tooltip: [`${who} is working`, ...waiting].join(', '),
      command: 'acpls.openChat',
      urgent: false,
    };
  }
  const starting = sessions.filter(({ state }) => state === 'starting');
  if (starting.length > 0) {
    const names = [...new Set(starting.map(({ agent }) => agent || 'an agent'))].join(', ');
    return {
      text: `$(sync~spin) ${names}${pending}`,
      tooltip: [`${names} is being started`, ...waiting].join(', '),
      command: 'acpls.openChat',
      urgent: false,
    };
  }
  const idle = server.state === 'running' ? 'ACP agents' : `acp-ls is ${server.state}`;
  return {
    text: `$(comment-discussion) ACP${pending}`,
    tooltip: [idle, ...waiting].join(', '),
    command: 'acpls.openChat',
    urgent: false,
  };
}
