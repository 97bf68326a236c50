/**
 * What the chat shows: the sessions, their transcripts, open questions, changed files. Takes in
 * what acp-ls tells, and says what of it the page has to be told. Pure: knows nothing of VS Code.
 */
import type { Entry, Notifications, SessionInfo } from '../contract';
import type { Before } from './before';
import { restartOffer } from './offer';
import type {
  Agent,
  Asked,
  ChangedFile,
  ChatState,
  Form,
  HostMessage,
  ServerState,
  TerminalState,
} from './protocol';

/** How much of a terminal's output is kept, in UTF-16 units. */
export const keptOutput = 100_000;

/** How many ended conversations are kept. */
const keptConversations = 5;

/** How the ids of ended conversations begin. */
const ended = 'ended-';

/** The id that acp-ls knows a session by, also one of an acp-ls that has ended. */
export function originalOf(session: string): string {
  return session.replace(new RegExp(`^${ended}\\d+-`), '');
}

interface Conversation {
  info: SessionInfo;
  entries: Entry[];
  terminals: Record<string, TerminalState>;
  /** Whether `entries` begins with the session's first. */
  whole: boolean;
}

export class ChatModel {
  private readonly conversations = new Map<string, Conversation>();
  private shown: string | null = null;
  private server: ServerState = { state: 'stopped' };
  private questions: Asked[] = [];
  private forms: Form[] = [];
  private agents: Agent[] = [];
  private files: ChangedFile[] = [];
  private before: Before | null = null;
  private problem: string | null = null;
  private notes = 0;
  /** How often acp-ls has ended. */
  private runs = 0;

  /** @param post is given what the page has to be told. */
  constructor(private readonly post: (message: HostMessage) => void) {}

  /** Everything the page shows. */
  state(): ChatState {
    const conversation = this.current();
    return {
      server: this.server,
      sessions: this.sessions(),
      current: this.shown,
      entries: [...(conversation?.entries ?? [])],
      terminals: { ...conversation?.terminals },
      questions: this.questions,
      forms: this.forms,
      agents: this.agents,
      files: this.files,
      before: this.before && {
        agent: this.before.agent,
        title: this.before.title,
        ...(this.before.gone && { gone: true }),
      },
      problem: this.problem,
    };
  }

  sessions(): SessionInfo[] {
    return [...this.conversations.values()].map(({ info }) => info);
  }

  session(id: string): SessionInfo | undefined {
    return this.conversations.get(id)?.info;
  }

  /** Whether a session is of the acp-ls that runs. */
  isAlive(session: string): boolean {
    const state = this.conversations.get(session)?.info.state;
    return state !== undefined && state !== 'closed' && !session.startsWith(ended);
  }

  /** The session that is shown. */
  currentSession(): SessionInfo | undefined {
    return this.current()?.info;
  }

  /** The agents that the acp-ls that runs has had sessions of: they may run, of closed ones as well. */
  startedAgents(): string[] {
    const own = this.sessions().filter(({ session }) => !session.startsWith(ended));
    return [...new Set(own.map(({ agent }) => agent))].filter((agent) => agent !== '');
  }

  /** What is said of a session that is to stop and does not, where a restart of its agent ends it. */
  restartOffer(session: string): Entry | undefined {
    const conversation = this.conversations.get(session);
    return restartOffer(conversation?.info, conversation?.entries ?? []);
  }

  /** Whether anything was said to a session. */
  hasBegun(session: string): boolean {
    const entries = this.conversations.get(session)?.entries ?? [];
    return entries.some(({ kind }) => kind === 'user');
  }

  /** The conversation that the next prompt takes up again: it is over, but the user has not ended it. */
  lost(): Before | undefined {
    const info = this.current()?.info;
    if (info === undefined) {
      return this.before?.gone ? undefined : (this.before ?? undefined);
    }
    const over = info.session.startsWith(ended) && info.state !== 'closed';
    return over && info.sessionId !== '' && this.hasBegun(info.session) ? info : undefined;
  }

  /** The conversation of before that cannot be taken up again, until another has begun. */
  gone(): Before | undefined {
    return this.current() === undefined && this.before?.gone ? this.before : undefined;
  }

  openQuestions(): readonly Asked[] {
    return this.questions;
  }

  openForms(): readonly Form[] {
    return this.forms;
  }

  serverState(): ServerState {
    return this.server;
  }

  entry(session: string, id: string): Entry | undefined {
    return this.conversations.get(session)?.entries.find((entry) => entry.id === id);
  }

  setServer(server: ServerState): void {
    const ran = this.server.state === 'running';
    this.server = server;
    if (ran && server.state !== 'running') {
      this.end(server.message ?? 'acp-ls has ended.');
    } else {
      this.post({ type: 'server', server });
    }
  }

  /** acp/session. The first session is shown, and so is each that the user starts (`show`). */
  onSession(info: SessionInfo): void {
    const known = this.conversations.get(info.session);
    if (known !== undefined) {
      known.info = info;
    } else {
      this.add(info, true);
    }
    this.post({ type: 'session', info });
    if (this.shown === null && info.state !== 'closed') {
      this.show(info.session);
    }
  }

  /** acp/entry. */
  onEntry({ session, entry }: Notifications['acp/entry']): void {
    const conversation = this.ensure(session);
    const at = conversation.entries.findIndex(({ id }) => id === entry.id);
    if (at < 0) {
      conversation.entries.push(entry);
    } else {
      conversation.entries[at] = entry;
    }
    this.postFor(session, { type: 'entry', entry });
  }

  /** Says something in a transcript that acp-ls does not know. */
  note(session: string, text: string): void {
    this.onEntry({ session, entry: { id: `note-${this.notes++}`, kind: 'notice', text } });
  }

  /** acp/chunk. */
  onChunk({ session, id, text }: Notifications['acp/chunk']): void {
    const conversation = this.ensure(session);
    const at = conversation.entries.findIndex((entry) => entry.id === id);
    const entry = conversation.entries[at];
    if (entry === undefined) {
      return; // of an entry from before; it will come whole
    }
    conversation.entries[at] = { ...entry, text: (entry.text ?? '') + text };
    this.postFor(session, { type: 'chunk', id, text });
  }

  /** acp/terminal. */
  onTerminal({ session, terminal, output, exit }: Notifications['acp/terminal']): void {
    const { terminals } = this.ensure(session);
    const all = (terminals[terminal]?.output ?? '') + output;
    terminals[terminal] = {
      output: all.length > keptOutput ? all.slice(-keptOutput) : all,
      ...((exit ?? terminals[terminal]?.exit) && { exit: exit ?? terminals[terminal]?.exit }),
    };
    this.postFor(session, { type: 'terminal', terminal, output, ...(exit && { exit }) });
  }

  /** The transcript of a session that was there before this window (acp.session.entries). */
  setEntries(session: string, entries: Entry[]): void {
    const conversation = this.ensure(session);
    conversation.entries = entries;
    conversation.whole = true;
    if (session === this.shown) {
      this.postCurrent();
    }
  }

  /** Whether a session's transcript has to be fetched. */
  isPartial(session: string): boolean {
    return this.conversations.get(session)?.whole === false;
  }

  /** The conversation of before this window, offered until a session is shown. */
  setBefore(before: Before | undefined): void {
    this.before = before ?? null;
  }

  /** Sessions that were there before this window (acp.session.list). */
  addEarlier(sessions: SessionInfo[]): void {
    for (const info of sessions) {
      if (!this.conversations.has(info.session)) {
        this.add(info, false);
        this.post({ type: 'session', info });
      }
    }
  }

  show(session: string | null): void {
    if (session !== null && !this.conversations.has(session)) {
      return;
    }
    if (session !== this.shown) {
      this.setProblem(null);
      this.shown = session;
      this.postCurrent();
    }
  }

  setProblem(problem: string | null): void {
    if (problem !== this.problem) {
      this.problem = problem;
      this.post({ type: 'problem', problem });
    }
  }

  setQuestions(questions: Asked[]): void {
    this.questions = questions;
    this.post({ type: 'questions', questions });
  }

  setForms(forms: Form[]): void {
    this.forms = forms;
    this.post({ type: 'forms', forms });
  }

  setAgents(agents: Agent[]): void {
    this.agents = agents;
    this.post({ type: 'agents', agents });
  }

  setFiles(files: ChangedFile[]): void {
    this.files = files;
    this.post({ type: 'files', files });
  }

  /**
   * acp-ls has ended, and with it every session. Some stay to be read, under names of their own:
   * the next acp-ls may use the same ids again.
   */
  private end(reason: string): void {
    this.runs++;
    const kept = [...this.conversations.values()].filter(
      ({ info, entries }) => info.session === this.shown || entries.length > 0,
    );
    const shown = this.shown;
    this.conversations.clear();
    this.shown = null;
    for (const conversation of kept.slice(-keptConversations)) {
      const { info } = conversation;
      const session = info.session.startsWith(ended)
        ? info.session
        : `${ended}${this.runs}-${info.session}`;
      if (info.session === shown) {
        this.shown = session;
      }
      const over = info.state === 'closed' || info.state === 'failed';
      conversation.info = {
        ...info,
        session,
        ...(!over && { state: 'failed' as const, error: reason }),
        queue: [],
        unsent: [],
        questions: [],
      };
      conversation.whole = true; // there is nobody to ask for more
      this.conversations.set(session, conversation);
    }
    this.post({ type: 'state', state: this.state() });
  }

  private current(): Conversation | undefined {
    return this.shown === null ? undefined : this.conversations.get(this.shown);
  }

  /** An entry may come before the session it is of is told. */
  private ensure(session: string): Conversation {
    return this.conversations.get(session) ?? this.add(unknownSession(session), true);
  }

  private add(info: SessionInfo, whole: boolean): Conversation {
    const conversation = { info, entries: [], terminals: {}, whole };
    this.conversations.set(info.session, conversation);
    return conversation;
  }

  private postFor(session: string, message: HostMessage): void {
    if (session === this.shown) {
      this.post(message);
    }
  }

  private postCurrent(): void {
    const conversation = this.current();
    this.post({
      type: 'current',
      session: this.shown,
      entries: [...(conversation?.entries ?? [])],
      terminals: { ...conversation?.terminals },
    });
  }
}

function unknownSession(session: string): SessionInfo {
  return {
    session,
    agent: '',
    sessionId: '',
    cwd: '',
    title: '',
    state: 'starting',
    options: [],
    commands: [],
    queue: [],
    questions: [],
    pending: { files: 0, hunks: 0 },
  };
}
