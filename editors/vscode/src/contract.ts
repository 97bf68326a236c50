// Every message and command of the editor contract (docs/editor-contract.md), made from
// lspbridge/methods.go by `go test ./lspbridge -run Contract -update`. Do not edit.

export const contractVersion = 1;

export interface SessionInfo {
  session: string;
  agent: string;
  sessionId: string;
  cwd: string;
  title: string;
  state: 'starting' | 'idle' | 'running' | 'waiting' | 'closed' | 'failed';
  turn?: string;
  stopping?: boolean;
  stopReason?: string;
  options: Option[];
  commands: SlashCommand[];
  usage?: Usage;
  queue: Queued[];
  unsent?: Queued[];
  questions: string[];
  pending: { files: number; hunks: number };
  error?: string;
  errorKind?: string;
  loads?: boolean;
}

export interface Option {
  id: string;
  name: string;
  description?: string;
  category?: string;
  type: string;
  value: unknown;
  choices?: Choice[];
}

export interface Choice {
  value: string;
  name: string;
  description?: string;
  group?: string;
}

export interface SlashCommand {
  name: string;
  description: string;
  hint?: string;
}

export interface Usage {
  used: number;
  size: number;
  cost?: number;
  currency?: string;
}

export interface Queued {
  id: string;
  text: string;
}

export interface Entry {
  id: string;
  kind: 'user' | 'agent' | 'thought' | 'tool' | 'plan' | 'permission' | 'notice' | 'error';
  turn?: string;
  text?: string;
  tool?: ToolCall;
  plan?: PlanItem[];
  question?: Question;
  answer?: string;
  restart?: string;
}

export interface ToolCall {
  id: string;
  name?: string;
  title: string;
  kind: string;
  status: string;
  command?: string;
  content?: ToolContent[];
  locations?: Array<{ path: string; line?: number }>;
}

export interface ToolContent {
  type: string;
  text?: string;
  uri?: string;
  path?: string;
  oldText?: string;
  newText?: string;
  terminal?: string;
}

export interface PlanItem {
  content: string;
  priority: string;
  status: string;
}

export interface Question {
  id: string;
  session: string;
  agent: string;
  toolCall: ToolCall;
  options: PermissionOption[];
  message: string;
}

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: string;
}

export interface Review {
  uri: string;
  rev: string;
  seq: number;
  version: number | null;
  file?: FileChange;
  hunks: Hunk[];
}

export interface FileChange {
  id: string;
  op: string;
  from?: string;
  to?: string;
  state?: string;
  decided?: number;
  mode?: string;
  opaque?: string;
}

export interface Hunk {
  id: string;
  state: string;
  origins: Origin[];
  range: Range;
  baseText: string;
  text: string;
  mixed: boolean;
  committed?: boolean;
  marked?: string;
  decided?: number;
  deletes?: boolean;
}

export interface Origin {
  session: string;
  agent: string;
  turn: string;
  toolCall: string;
  title: string;
  author: string;
  sure: boolean;
}

export interface Decision {
  decided: string[];
  refused: Array<{ id: string; reason: string }>;
  files: Review[];
}

export interface Undoable {
  session: string;
  agent: string;
  title: string;
  time?: number;
  files: number;
  turn?: string;
  ended?: boolean;
}

export interface FormQuestion {
  id: string;
  prompt: string;
  type: string;
  options?: Array<{ id: string; label: string }>;
  multiple?: boolean;
  required?: boolean;
  default?: unknown;
}

export interface Completion {
  label: string;
  kind: string;
  detail?: string;
  insertText: string;
  start: number;
  end: number;
}

export interface Diagnostic {
  range: Range;
  severity?: number;
  code?: unknown;
  source?: string;
  message: string;
}

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** Sent by workspace/executeCommand, with one object as the only argument. */
export interface Commands {
  /** Starts a session. Without an agent the default one, without a directory the workspace folder of the document the user is in, else the first one or, if no folder is open, that of the document, else the home folder. If the directory is a workspace folder the session works in the others too. Answered when it takes prompts; with `wait: false` as soon as there is a session, which may be prompted and whose state says the rest. */
  'acp.session.new': { params: { agent?: string; cwd?: string; options?: Record<string, unknown>; wait?: boolean }; result: SessionInfo };
  /** Opens a session that the agent has stored; its history arrives as entries before the answer. */
  'acp.session.load': { params: { agent: string; sessionId: string; cwd?: string }; result: SessionInfo };
  /** Live sessions, and those that an agent has stored. An agent is asked only if it runs or is named; `also` names one that is asked as well as those that run, and started if need be (empty: the default one). */
  'acp.session.list': { params: { agent?: string; cwd?: string; also?: string }; result: { sessions: SessionInfo[] } };
  /** The transcript so far, from an index on: for a window that was attached late or reloaded. */
  'acp.session.entries': { params: { session: string; from?: number }; result: { entries: Entry[] } };
  /** Ends a session. */
  'acp.session.close': { params: { session: string }; result: Record<string, never> };
  /** Ends a session and has the agent forget it. */
  'acp.session.delete': { params: { session: string }; result: Record<string, never> };
  /** Starts a session that continues from where this one stands. */
  'acp.session.fork': { params: { session: string }; result: SessionInfo };
  /** Sets an option of a session. Modes are the option `mode`. */
  'acp.session.setOption': { params: { session: string; option: string; value: unknown }; result: SessionInfo };
  /** The transcript as Markdown, with the end of what commands have written in terminals. */
  'acp.session.transcript': { params: { session: string }; result: { markdown: string; uri?: string } };
  /** Sends a prompt, or queues it while a turn runs. Answered as soon as it is sent or queued; with `wait` at the end of the turn, after all its messages, and cancelling the request is then `acp.cancel`. Without a session: the newest of this workspace, else a new one, each of `agent` if that is named. `when` is `queue` (default) or `now`, which cancels the turn that runs. */
  'acp.prompt': { params: { session?: string; agent?: string; text: string; context?: Array<{ uri: string; range?: Range; mark?: string }>; selection?: { uri: string; range?: Range; mark?: string }; images?: Array<{ mimeType: string; data: string; uri?: string }>; when?: string; wait?: boolean }; result: { session: string; turn: string; stopReason?: string } };
  /** Keeps a range of an open document for a prompt that is still to be written: where `context` or `selection` names it as `mark`, what has become of its text goes along, and not the lines that have its numbers by then. */
  'acp.mark': { params: { uri: string; range: Range }; result: { mark: string } };
  /** The prompts that wait for the running turn to end. */
  'acp.prompt.list': { params: { session: string }; result: { queue: Queued[] } };
  /** Changes the text of a waiting prompt. */
  'acp.prompt.edit': { params: { session: string; id: string; text: string }; result: Record<string, never> };
  /** Takes a waiting prompt back. */
  'acp.prompt.remove': { params: { session: string; id: string }; result: Record<string, never> };
  /** Cancels the running turn, or takes back a prompt that waits for its session to start: its text stays in the transcript, with a notice. Ends the start of a session in which none waits, or whose agent was said not to answer. Open questions are answered as cancelled. */
  'acp.cancel': { params: { session: string }; result: Record<string, never> };
  /** The agents that can be named, built in and configured; of one that runs its ways to log in. `problems`: what is wrong with the settings, or unknown in them, a line each. */
  'acp.agent.list': { params: Record<string, never>; result: { agents: Array<{ name: string; title?: string; installed: boolean; how: string; running: boolean; default?: boolean; methods?: Array<{ id: string; name: string; description?: string }> }>; problems?: string[] } };
  /** Logs in; starts the agent if it does not run. Without a method the configured or only one; with several and none configured an error (`invalid`) names them, and the agent, which runs then, has them as `methods` in `acp.agent.list`: an editor lets the user choose. */
  'acp.agent.authenticate': { params: { agent: string; method?: string }; result: Record<string, never> };
  /** Logs out. */
  'acp.agent.logout': { params: { agent: string }; result: Record<string, never> };
  /** Ends the agent's process; the next session starts a new one. */
  'acp.agent.restart': { params: { agent: string }; result: Record<string, never> };
  /** Open questions. */
  'acp.permission.list': { params: Record<string, never>; result: { questions: Question[] } };
  /** Answers a question. Without an option: refuses, with the agent's only `reject_once`. */
  'acp.permission.answer': { params: { id: string; optionId?: string }; result: Record<string, never> };
  /** Shows a question again that was put off. */
  'acp.permission.show': { params: { id: string }; result: Record<string, never> };
  /** Remembered answers. */
  'acp.permission.rules': { params: Record<string, never>; result: { rules: Array<{ id: string; agent: string; kind: string; text: string }> } };
  /** Forgets a remembered answer. */
  'acp.permission.forget': { params: { id: string }; result: Record<string, never> };
  /** What there is to decide on, or of one `state`: `pending`, `proposed`, `conflict`, `rejected`; with what is rejected also what was discarded of a proposal last, which cannot be brought back: an editor that takes back the last decision says so, if that was the last. */
  'acp.review.list': { params: { uri?: string; session?: string; state?: string }; result: { files: Review[]; discarded?: { uri: string; decided: number; message: string } } };
  /** Accepts hunks: those named, or those of a file, session or turn; with `uri` and `rev` if the file is as it stood at that, without `uri` no `rev` is taken. Without any member: all. */
  'acp.review.accept': { params: { hunks?: string[]; uri?: string; session?: string; turn?: string; rev?: string }; result: Decision };
  /** Rejects hunks, named in the same ways. */
  'acp.review.reject': { params: { hunks?: string[]; uri?: string; session?: string; turn?: string; rev?: string }; result: Decision };
  /** Takes back all that a turn, or a session, has changed, accepted or not. What the user typed since stays. What cannot be taken back is in `refused`, with a reason to show: the id is that of a file, or of the turn or session for what is not known any more. A session of an earlier run is named as it was then, or by what opened it again. */
  'acp.review.undo': { params: { session: string; turn?: string }; result: Decision };
  /** The sessions that have changed what can still be taken back, the last first: those that live, and those of earlier runs (`ended`), also where their agents cannot open them again. `title` is that of the session or else its first prompt, `time` when its last turn began, in milliseconds since 1970 (none: not known), `turn` the one that runs. */
  'acp.review.undoable': { params: Record<string, never>; result: { sessions: Undoable[] } };
  /** Brings rejected hunks back, named in the same ways. */
  'acp.review.restore': { params: { hunks?: string[]; uri?: string; session?: string; turn?: string; rev?: string }; result: Decision };
  /** Settles a conflict: `take` is `mine`, `theirs` or `both` (mine, then theirs). */
  'acp.review.resolve': { params: { hunk: string; take: string }; result: Decision };
  /** The file as it would be if every undecided change were rejected. */
  'acp.review.baseline': { params: { uri: string }; result: { text: string } };
  /** Completions after `@` and `/` for an input that is no document. `offset`, `start` and `end` count bytes of UTF-8. */
  'acp.complete': { params: { session?: string; text: string; offset: number }; result: { items: Completion[] } };
}

/** From acp-ls. */
export interface Notifications {
  /** The state of a session, on every change of it. */
  'acp/session': SessionInfo;
  /** One item of the transcript, inserted or replaced by `entry.id`. */
  'acp/entry': { session: string; entry: Entry };
  /** Text to append to the entry `id`; coalesced, at most 30 a second for one entry. */
  'acp/chunk': { session: string; id: string; text: string };
  /** Pending, proposed and conflict hunks of a file, whenever they change. An empty list clears. */
  'acp/review': Review;
  /** Output to append to a terminal's, and how its program ended. */
  'acp/terminal': { session: string; terminal: string; output: string; exit?: { exitCode?: number; signal?: string } };
  /** A question was answered elsewhere or withdrawn. */
  'acp/dismiss': { id: string };
}

/** From acp-ls; null is answered where there is no answer. */
export interface Requests {
  /** A question of an agent; null or no option: not answered. Any number may be open. */
  'acp/permission': { params: Question; result: { optionId: string } };
  /** Save a document as the user would, formatters included; or, with `format: false`, its text as it is. With `version`: if it is still at that. */
  'acp/save': { params: { uri: string; version?: number; format: boolean }; result: { saved: boolean; reason?: string } };
  /** The disk has changed and `text` already contains that change: make the disk's state the base of the document and `text` its content in one step, if it is still at `version`. `disk` is the SHA-256 (hexadecimal) of the bytes of the file that `text` contains. */
  'acp/adopt': { params: { uri: string; version: number; text: string; disk: string }; result: { adopted: boolean } };
  /** For editors that cannot do that in one step, and are sent the change as an edit: the document has contained since `version` all that the file had when the SHA-256 of its bytes was `disk` (hexadecimal). As long as the file has those, to save the document over it is no conflict, and the user is not to be asked. `based`: it will be so. */
  'acp/base': { params: { uri: string; version: number; disk: string }; result: { based: boolean } };
  /** The file changed on disk: reload the document if it has no unsaved changes, and never ask. */
  'acp/reload': { params: { uri: string }; result: { reloaded: boolean } };
  /** What the user looks at; `lastTyped` is milliseconds ago. */
  'acp/editor': { params: Record<string, never>; result: { active?: { uri: string; ranges: Range[]; viewport?: Range }; visible: string[]; lastTyped: number } };
  /** Run an interactive program in a terminal, such as a login. Without the capability the command is shown to copy. */
  'acp/run': { params: { title: string; command: string; args: string[]; env: Record<string, string>; cwd: string }; result: { exitCode: number } };
  /** What all the editor's language servers say of one document, or of all: LSP's Diagnostic. Ours (source `acp`) may be left out. */
  'acp/diagnostics': { params: { uri?: string }; result: { items: Array<{ uri: string; diagnostics: Diagnostic[] }> } };
  /** A form to fill in: `action` is `accept`, `decline` or `cancel`; an answer is a value, or a list of option ids. */
  'acp/ask': { params: { id: string; session: string; title: string; questions: FormQuestion[] }; result: { action: string; answers?: Record<string, unknown> } };
}

/** Members of experimental.acp that allow the messages above, or parts of them. */
export type Capability =
  | 'session'
  | 'review'
  | 'terminal'
  | 'permission'
  | 'dismiss'
  | 'save'
  | 'adopt'
  | 'base'
  | 'reload'
  | 'editor'
  | 'run'
  | 'diagnostics'
  | 'ask'
  | 'format';
