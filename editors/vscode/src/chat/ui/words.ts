/** How things are called and counted. Pure. */
import type { Entry, SessionInfo, ToolCall, Usage } from '../../contract';

/** 950, 12k, 1.2M */
export function short(count: number): string {
  if (count < 1000) {
    return String(count);
  }
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
}

export function usage({ used, size, cost, currency }: Usage): string {
  const tokens = size > 0 ? `${short(used)} of ${short(size)} tokens` : `${short(used)} tokens`;
  if (!cost) {
    return tokens;
  }
  const sign = currency === undefined || currency === 'USD' ? '$' : `${currency} `;
  return `${tokens} · ${sign}${cost.toFixed(2)}`;
}

/** How full the window of the model is, 0 to 1. */
export function fullness({ used, size }: Usage): number {
  return size > 0 ? Math.min(Math.max(used / size, 0), 1) : 0;
}

export function many(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

export function sessionName({ title, agent, session }: SessionInfo): string {
  return title ? `${title} (${agent})` : agent || session;
}

export function isBusy(info: SessionInfo | undefined): boolean {
  return info !== undefined && /^(starting|running|waiting)$/.test(info.state);
}

/** A session that takes prompts. */
export function isOpen(info: SessionInfo | undefined): boolean {
  return info !== undefined && info.state !== 'closed' && info.state !== 'failed';
}

/** What a session does; empty where there is nothing to say. */
export function activity(info: SessionInfo | undefined, entries: readonly Entry[]): string {
  if (info?.stopping === true) {
    return 'Stopping';
  }
  switch (info?.state) {
    case 'starting':
      return `${info.agent || 'The agent'} is being started`;
    case 'waiting':
      return 'Waiting for your answer';
    case 'running': {
      const last = entries.at(-1);
      if (last?.kind === 'thought') {
        return 'Thinking';
      }
      const running = last?.kind === 'tool' && last.tool?.status === 'in_progress';
      return running ? (last.tool?.title ?? 'Working') : 'Working';
    }
    case 'closed':
      return 'Closed: a prompt begins a new session';
    default:
      return '';
  }
}

/** Why a session has failed. */
export function whyFailed({ error, agent }: Pick<SessionInfo, 'error' | 'agent'>): string {
  return error || `${agent} has failed.`;
}

/** What is said of that where the transcript says it already. */
export function failedAbove({
  errorKind,
  agent,
}: Pick<SessionInfo, 'errorKind' | 'agent'>): string {
  return errorKind === 'stopped'
    ? `You stopped ${agent || 'the agent'} before it was ready.`
    : `The session${agent ? ` with ${agent}` : ''} has ended. The error above says why.`;
}

/** Whether that is the last error in a transcript: it need not be said twice. */
export function isSaid(info: SessionInfo | undefined, entries: readonly Entry[]): boolean {
  const last = entries.findLast(({ kind }) => kind === 'error');
  return info?.error !== undefined && last?.text?.trim() === info.error.trim();
}

/** How long what is read out of an answer or an error may be. */
const readOut = 500;

/** What has come of what a session did, for somebody who cannot see it; undefined if nothing has. */
export function outcome(
  was: SessionInfo | undefined,
  info: SessionInfo | undefined,
  entries: readonly Entry[],
): string | undefined {
  if (was === undefined || info === undefined) {
    return undefined;
  }
  if (info.state === 'failed' && was.state !== 'failed') {
    return whyFailed(info).slice(0, readOut);
  }
  if (!isBusy(was) || isBusy(info)) {
    return undefined;
  }
  if (info.state === 'closed') {
    return 'This session is closed';
  }
  if (was.state === 'starting') {
    return `${info.agent || 'The agent'} is ready`;
  }
  if (info.stopReason === 'cancelled') {
    return 'Stopped';
  }
  const last = entries.findLast(({ kind }) => kind === 'agent');
  return last?.text ? `Done. ${last.text.slice(0, readOut)}` : 'Done';
}

const statuses: Record<string, string> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

export function statusName(status: string): string {
  return statuses[status] ?? status;
}

/** What a tool call is called, on one line. */
export function toolTitle(tool: ToolCall): string {
  const title = tool.title || tool.name || tool.kind || 'tool';
  return title.replace(/\s*[\r\n]+\s*/g, ' ');
}

/** The command of a tool call, where its title does not say it already. */
export function toolCommand(tool: ToolCall): string | undefined {
  const { command, title } = tool;
  return command && command !== title && command !== title.replace(/^`(.*)`$/, '$1')
    ? command
    : undefined;
}

/** A place as it is shown: from the session's folder, if it is inside. `line` is 1-based. */
export function placeName(path: string, cwd: string | undefined, line?: number): string {
  const folder = cwd?.replace(/[\\/]+$/, '');
  const inside = folder && path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
  const name = inside ? path.slice(folder.length + 1) : path;
  return line ? `${name}:${line}` : name;
}
