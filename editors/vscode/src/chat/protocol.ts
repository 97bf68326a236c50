/**
 * What the extension host and the chat's page say to each other, by `postMessage`: plain data
 * only. The host owns the state; the page draws it, and keeps nothing but what is typed and how
 * far it is scrolled (`setState`).
 *
 * The page says `ready` when it is loaded, also after its view was moved elsewhere. The host
 * answers with `state`, which replaces everything; the other messages change it, in order.
 * `acp-ls` has put what comes from agents into words that can be shown, but not made it safe:
 * text is Markdown and must be rendered without HTML of its own.
 */
import type { Entry, FormQuestion, Question, Range, SessionInfo } from '../contract';

/** What the chat shows. */
export interface ChatState {
  server: ServerState;
  /** The sessions there are, oldest first. Those that ended stay, with their last state. */
  sessions: SessionInfo[];
  /** The session that is shown; null before the first. */
  current: string | null;
  /** The transcript of the session that is shown. */
  entries: Entry[];
  /** Output of the terminals of the session that is shown, by their id. */
  terminals: Record<string, TerminalState>;
  /** Open questions of all sessions, oldest first. */
  questions: Asked[];
  /** Open forms of all sessions, oldest first. */
  forms: Form[];
  /** The agents that can be started; empty until acp-ls has told. */
  agents: Agent[];
  /** Files with changes to decide on. */
  files: ChangedFile[];
  /** The conversation of before this window, offered while no session is shown, if it is not gone. */
  before: (Pick<SessionInfo, 'agent' | 'title'> & { gone?: boolean }) | null;
  /** Why what the user wanted last has come to no session, and what can be done. */
  problem: string | null;
}

export interface ServerState {
  state: 'starting' | 'running' | 'stopped' | 'failed';
  /** Why it failed, and what can be done. */
  message?: string;
}

/** A program's output. */
export interface TerminalState {
  /** Raw, with escape sequences; the beginning is dropped where it gets long. */
  output: string;
  exit?: { exitCode?: number; signal?: string };
}

/** A question of an agent that waits for the user's answer. */
export interface Asked extends Question {
  /** `Date.now()` when it was first shown. Answers before half a second has gone by are
   * not taken: they would be keystrokes that were meant for something else. */
  since: number;
}

/** Questions to fill in (`acp/ask`). */
export interface Form {
  id: string;
  session: string;
  title: string;
  questions: FormQuestion[];
  since: number;
}

export interface Agent {
  name: string;
  title?: string;
  installed: boolean;
  /** The command, or how to install it. */
  how: string;
  running: boolean;
  /** It is that of new sessions. */
  default?: boolean;
}

export interface ChangedFile {
  uri: string;
  /** As it is shown: relative to the workspace. */
  label: string;
  /** Lines. */
  added: number;
  removed: number;
  /** How many hunks wait, conflicts among them. */
  hunks: number;
  conflicts: number;
  /** Of the file as a whole, in words. */
  whole?: string;
}

/** A place that goes with a prompt, shown above the input, where it can be taken away. */
export interface Attachment {
  uri: string;
  range?: Range;
  /** Of `acp.mark`: where the text of the range is by the time it is sent. */
  mark?: string;
  /** `main.go:3-9`. */
  label: string;
}

/** A proposal for the input. `start` and `end` count UTF-16 units, as JavaScript does. */
export interface ChatCompletion {
  label: string;
  /** file, folder, word or command */
  kind: string;
  detail?: string;
  insertText: string;
  start: number;
  end: number;
}

/** From the host to the page. */
export type HostMessage =
  | { type: 'state'; state: ChatState }
  | { type: 'server'; server: ServerState }
  /** A session is new or has changed. */
  | { type: 'session'; info: SessionInfo }
  /** Another session is shown from now on. */
  | {
      type: 'current';
      session: string | null;
      entries: Entry[];
      terminals: Record<string, TerminalState>;
    }
  /** An entry of the session that is shown: inserted at the end, or replaced by its id. */
  | { type: 'entry'; entry: Entry }
  /** Text to append to an entry of the session that is shown. */
  | { type: 'chunk'; id: string; text: string }
  /** Output to append to a terminal of the session that is shown. */
  | { type: 'terminal'; terminal: string; output: string; exit?: TerminalState['exit'] }
  | { type: 'questions'; questions: Asked[] }
  | { type: 'forms'; forms: Form[] }
  | { type: 'agents'; agents: Agent[] }
  | { type: 'files'; files: ChangedFile[] }
  | { type: 'problem'; problem: string | null }
  /** The answer to `complete`; without items there may be something to say of that. */
  | { type: 'completions'; request: number; items: ChatCompletion[]; hint?: string }
  /** The answer to `send`: without an error the input can be emptied. */
  | { type: 'sent'; request: number; error?: string }
  /** Text to put where the cursor of the input is, with spaces around it as needed. */
  | { type: 'insert'; text: string }
  /** A place to send with the next prompt. */
  | { type: 'attach'; attachment: Attachment }
  /** The input is to have the focus, or the oldest open question; answered with `focused`. */
  | { type: 'focus'; on: 'input' | 'question' }
  /** What was typed before the input had the focus, to put before what has been typed since. */
  | { type: 'typed'; text: string; send: boolean };

/** What a button of the chat can do that is a command of the extension as well. */
export type ChatCommand =
  | 'newSession' // after asking for an agent
  | 'defaultAgent' // choose that of new sessions
  | 'sessions' // choose another session, also one from before
  | 'closeSession'
  | 'login'
  | 'transcript'
  | 'changes' // all changes side by side
  | 'acceptAll'
  | 'rejectAll'
  | 'restart'
  | 'settings'
  | 'log';

/** Where a tool call is told of. The ids of entries are of their session: others have the same. */
export type ToolOf = { question: string } | { session: string; entry: string };

/** From the page to the host. */
export type PageMessage =
  | { type: 'ready' }
  /** The answer to `focus`: whether the page has it now. */
  | { type: 'focused'; has: boolean }
  /** A prompt for the session that is shown, or for a new one. `now` cancels the turn that
   * runs, `queue` waits for its end. */
  | {
      type: 'send';
      request: number;
      text: string;
      attachments: Attachment[];
      when: 'queue' | 'now';
    }
  | { type: 'stop' }
  /** Ends the agent, which does not stop, for good. */
  | { type: 'restartAgent'; agent: string }
  | { type: 'newSession'; agent?: string }
  /** Takes the conversation of before up again. */
  | { type: 'resume' }
  | { type: 'select'; session: string }
  | { type: 'setOption'; option: string; value: unknown }
  | { type: 'editQueued'; id: string; text: string }
  | { type: 'removeQueued'; id: string }
  /** `offset` counts UTF-16 units. */
  | { type: 'complete'; request: number; text: string; offset: number }
  /** Shows a file, by URI or path; `line` is 1-based. */
  | { type: 'open'; uri?: string; path?: string; line?: number }
  /** Shows one difference that a tool call told of: `content` is its index there. */
  | { type: 'diff'; of: ToolOf; content: number }
  /** A link in a text was clicked. */
  | { type: 'link'; href: string }
  /** There is not the room to show this question or form, nor another that waits. */
  | { type: 'unseen'; question: string }
  /** Answers a question; without an option it is refused. */
  | { type: 'answer'; question: string; option?: string }
  | {
      type: 'form';
      form: string;
      action: 'accept' | 'decline' | 'cancel';
      answers: Record<string, unknown>;
    }
  /** Decides on a file's changes as they are shown, or on all of a turn of the session shown. */
  | { type: 'decide'; what: 'accept' | 'reject'; uri?: string; turn?: string }
  /** Takes back all that a turn of the session that is shown has changed. */
  | { type: 'undo'; turn: string }
  | { type: 'command'; command: ChatCommand };
