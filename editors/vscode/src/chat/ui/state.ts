/** What the page knows: what the host has told, put together. Pure. */
import type { SessionInfo } from '../../contract';
import type { Agent, ChatState, HostMessage } from '../protocol';

export function emptyState(): ChatState {
  return {
    server: { state: 'starting' },
    sessions: [],
    current: null,
    entries: [],
    terminals: {},
    questions: [],
    forms: [],
    agents: [],
    files: [],
    before: null,
    problem: null,
  };
}

export function currentOf(state: ChatState): SessionInfo | undefined {
  return state.sessions.find(({ session }) => session === state.current);
}

/** The prompts that wait, by session. */
export function waitingIn(sessions: SessionInfo[]): Record<string, string[]> {
  const waiting = sessions.filter(({ queue }) => queue.length > 0);
  return Object.fromEntries(waiting.map((one) => [one.session, one.queue.map(({ text }) => text)]));
}

/** Of prompts that waited, those whose session is gone: nobody will send them. */
export function lostOf(waiting: Record<string, string[]>, sessions: SessionInfo[]): string[] {
  return Object.entries(waiting)
    .filter(([id]) => !sessions.some(({ session }) => session === id))
    .flatMap(([, texts]) => texts);
}

/** The prompts that were given up with their agents, by names of their own. */
export function unsentIn(sessions: SessionInfo[]): Record<string, string> {
  return Object.fromEntries(
    sessions.flatMap(({ session, unsent = [] }) =>
      unsent.map(({ id, text }) => [`${session} ${id}`, text]),
    ),
  );
}

/** Of prompts that were given up, those that were not before. */
export function newOf(unsent: Record<string, string>, before: readonly string[]): string[] {
  return Object.entries(unsent)
    .filter(([name]) => !before.includes(name))
    .map(([, text]) => text);
}

/** What the host keeps of a terminal, and so do we. */
const keptOutput = 100_000;

/** Takes in a message: changes `state` in place, but never an entry, which is replaced. */
export function apply(state: ChatState, message: HostMessage): void {
  switch (message.type) {
    case 'state':
      Object.assign(state, message.state);
      return;
    case 'server':
      state.server = message.server;
      return;
    case 'session':
      put(state.sessions, message.info, (info) => info.session === message.info.session);
      return;
    case 'current':
      state.current = message.session;
      state.entries = message.entries;
      state.terminals = message.terminals;
      return;
    case 'entry':
      put(state.entries, message.entry, ({ id }) => id === message.entry.id);
      return;
    case 'chunk': {
      const at = state.entries.findLastIndex(({ id }) => id === message.id);
      const entry = state.entries[at];
      if (entry !== undefined) {
        state.entries[at] = { ...entry, text: (entry.text ?? '') + message.text };
      }
      return;
    }
    case 'terminal': {
      const known = state.terminals[message.terminal];
      const exit = message.exit ?? known?.exit;
      state.terminals[message.terminal] = {
        output: ((known?.output ?? '') + message.output).slice(-keptOutput),
        ...(exit && { exit }),
      };
      return;
    }
    case 'questions':
      state.questions = message.questions;
      return;
    case 'forms':
      state.forms = message.forms;
      return;
    case 'agents':
      state.agents = message.agents;
      return;
    case 'files':
      state.files = message.files;
      return;
    case 'problem':
      state.problem = message.problem;
  }
}

function put<T>(list: T[], item: T, is: (one: T) => boolean): void {
  const at = list.findLastIndex(is);
  if (at === -1) {
    list.push(item);
  } else {
    list[at] = item;
  }
}

/** The agents there are, that of new sessions first. */
export function startable(agents: Agent[]): Agent[] {
  return agents
    .filter(({ installed }) => installed)
    .sort((a, b) => Number(b.default ?? false) - Number(a.default ?? false));
}
