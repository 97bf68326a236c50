/** Lists to choose from. */
import * as vscode from 'vscode';
import type { App, Decide } from './app';
import { originalOf } from './chat/model';
import type { Commands, SessionInfo, Undoable } from './contract';
import { isInvalid } from './errors';
import { splitLines } from './review/lines';
import { discardedLast, rejectedOf } from './review/rejected';
import type { PlacedHunk } from './review/state';
import { plural } from './review/state';
import { type Turn, turnsOf } from './review/turns';

type Agent = Commands['acp.agent.list']['result']['agents'][number];
type LoginMethod = NonNullable<Agent['methods']>[number];

interface Choice<T> extends vscode.QuickPickItem {
  value?: T;
}

async function choose<T>(
  items: Choice<T>[] | Promise<Choice<T>[]>,
  placeHolder: string,
): Promise<T | undefined> {
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.value;
}

/** What is chosen of a list: what is checked, or else the row that Enter was pressed on. */
function chooseSome<T extends vscode.QuickPickItem>(
  items: T[],
  placeHolder: string,
  all: boolean,
): Promise<readonly T[] | undefined> {
  const list = vscode.window.createQuickPick<T>();
  list.canSelectMany = true;
  list.matchOnDescription = true;
  list.placeholder = placeHolder;
  list.items = items;
  list.selectedItems = all ? items : [];
  return new Promise((resolve) => {
    list.onDidAccept(() => {
      resolve(list.selectedItems.length > 0 ? list.selectedItems : list.activeItems);
      list.dispose();
    });
    list.onDidHide(() => {
      resolve(undefined); // unless it was accepted
      list.dispose();
    });
    list.show();
  });
}

/** Starts a session with an agent. */
export async function newSession(app: App): Promise<void> {
  const agent = await chooseAgent(app, 'Agent of the new session');
  if (agent !== undefined) {
    await app.chat.open();
    await app.chat.start(agent);
  }
}

/** Has the user choose the agent of new sessions, and makes that the setting. */
export async function defaultAgent(app: App): Promise<void> {
  const agent = await chooseAgent(app, 'Agent of new sessions');
  if (agent !== undefined) {
    const settings = vscode.workspace.getConfiguration('acpls');
    await settings.update('defaultAgent', agent, vscode.ConfigurationTarget.Global);
    app.model.setAgents(
      app.model.state().agents.map((one) => ({ ...one, default: one.name === agent })),
    );
  }
}

/** Logs in to an agent, by the method that the user chooses if it has several and none is set. */
export async function login(app: App): Promise<void> {
  const agent = await chooseAgent(app, 'Log in to which agent?');
  if (agent === undefined) {
    return;
  }
  try {
    await app.execute('acp.agent.authenticate', { agent });
  } catch (err) {
    // It is known only now: an agent tells its methods when it runs.
    const methods = isInvalid(err) ? await methodsOf(app, agent) : [];
    if (methods.length < 2) {
      app.showError(err);
      return;
    }
    const method = await choose<string>(
      methods.map(({ id, name, description = '' }) => ({
        label: name,
        description: id,
        detail: description,
        value: id,
      })),
      `Log in to ${agent} by`,
    );
    if (method === undefined || !(await app.perform('acp.agent.authenticate', { agent, method }))) {
      return;
    }
  }
  void vscode.window.showInformationMessage(`Logged in to ${agent}.`);
}

/** The ways to log in to an agent that runs. */
async function methodsOf(app: App, agent: string): Promise<LoginMethod[]> {
  const result = await app.perform('acp.agent.list', {});
  return result?.agents.find(({ name }) => name === agent)?.methods ?? [];
}

/** Restarts acp-ls, or one of its agents if there are any. Asks nothing of acp-ls, which may hang. */
export async function restart(app: App): Promise<void> {
  const agents = app.model.startedAgents();
  if (agents.length === 0) {
    await app.restart();
    return;
  }
  const chosen = await choose<{ agent?: string }>(
    [
      ...agents.map((agent) => ({
        label: agent,
        description: 'what it does ends; its sessions go on with their next prompts',
        value: { agent },
      })),
      { label: 'acp-ls', description: 'and all agents', value: {} },
    ],
    'Restart what?',
  );
  if (chosen?.agent !== undefined) {
    await restartAgent(app, chosen.agent);
  } else if (chosen !== undefined) {
    await app.restart();
  }
}

/** Restarts an agent. If it works in other sessions than the one that is shown, it asks. */
export async function restartAgent(app: App, agent: string): Promise<void> {
  const shown = app.model.currentSession()?.session;
  const others = app.model
    .sessions()
    .filter(
      ({ session, agent: its, state, stopping }) =>
        its === agent && session !== shown && !stopping && /^(running|waiting)$/.test(state),
    );
  const restart = `Restart ${agent}`;
  const detail = `${agent} works in ${plural(others.length, 'other session')}: that ends too.`;
  if (
    others.length === 0 ||
    (await vscode.window.showWarningMessage(`${restart}?`, { modal: true, detail }, restart))
  ) {
    await app.perform('acp.agent.restart', { agent });
  }
}

async function chooseAgent(app: App, prompt: string): Promise<string | undefined> {
  const result = await app.perform('acp.agent.list', {});
  if (result === undefined) {
    return undefined;
  }
  app.model.setAgents(result.agents);
  const first = [...result.agents].sort((a, b) => Number(b.installed) - Number(a.installed));
  return choose(
    first.map((agent) => ({
      label: agent.title ?? agent.name,
      description: [
        ...(agent.default ? ['default'] : []),
        ...(agent.installed ? (agent.running ? ['running'] : []) : ['not installed']),
      ].join(', '),
      detail: agent.how,
      value: agent.name,
    })),
    prompt,
  );
}

/** Shows another session: one that runs, or one from before. */
export async function session(app: App): Promise<void> {
  const result = await app.perform('acp.session.list', {});
  if (result === undefined) {
    return;
  }
  const live = new Set(app.model.sessions().map(({ session: id }) => id));
  const open = app.model.sessions().map(sessionChoice);
  const earlier = result.sessions.filter(({ session: id }) => !live.has(id)).map(sessionChoice);
  const chosen = await choose<SessionInfo>(
    [...open.reverse(), { label: 'earlier', kind: vscode.QuickPickItemKind.Separator }, ...earlier],
    'Session',
  );
  if (chosen === undefined) {
    return;
  }
  await app.chat.open();
  if (live.has(chosen.session)) {
    await app.chat.select(chosen.session);
  } else if (chosen.state === 'closed' || chosen.session === '') {
    await app.chat.load(chosen);
  } else {
    app.model.addEarlier([chosen]);
    await app.chat.select(chosen.session);
  }
}

function sessionChoice(info: SessionInfo): Choice<SessionInfo> {
  const pending = info.pending.hunks > 0 ? plural(info.pending.hunks, 'change') : '';
  return {
    label: info.title || `${info.agent} session`,
    description: [info.agent, folderName(info.cwd), stateOf(info), pending]
      .filter((word) => word !== '')
      .join(' · '),
    value: info,
  };
}

/** What a session is, if that is no matter of course. */
function stateOf({ state, errorKind }: SessionInfo): string {
  if (state === 'failed' && errorKind === 'stopped') {
    return 'stopped';
  }
  return state === 'idle' ? '' : state;
}

/** Accepts or rejects what is undecided of a turn. */
export async function decideTurn(app: App, command: Decide): Promise<void> {
  const info = app.model.currentSession();
  const session = info && originalOf(info.session);
  const prompts = app.model
    .state()
    .entries.flatMap(({ kind, turn, text = '' }) =>
      kind === 'user' && turn !== undefined && session !== undefined
        ? [{ session, turn, text }]
        : [],
    );
  const turns = turnsOf(app.review.all(), prompts);
  if (turns.length === 0) {
    void vscode.window.showInformationMessage('There are no changes to decide on.');
    return;
  }
  const name = command === 'acp.review.accept' ? 'Accept' : 'Reject';
  const chosen = await choose<Turn>(turns, `${name} what has been changed by`);
  if (chosen !== undefined) {
    await app.decideTurn(command, chosen);
  }
}

/** The folder of a session, where that is not the only one there is. */
function folderName(cwd: string): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.find(({ uri }) => uri.fsPath === cwd);
  return folder === undefined ? cwd : folders.length > 1 ? folder.name : '';
}

/** Takes back all that a turn, or a session, has changed: that is shown, or another one, be it of an earlier run. */
export async function undo(app: App): Promise<void> {
  const result = await app.perform('acp.review.undoable', {});
  if (result === undefined) {
    return;
  }
  const current = app.model.currentSession();
  const shown = current !== undefined && app.model.isAlive(current.session) && current.session;
  const others = result.sessions.filter(({ session: id }) => id !== shown);
  if (!shown && others.length === 0) {
    void vscode.window.showInformationMessage('There is no session whose changes could be undone.');
    return;
  }
  const chosen = await choose<Commands['acp.review.undo']['params']>(
    [
      ...(shown ? ofShown(app, shown) : []),
      { label: 'other sessions', kind: vscode.QuickPickItemKind.Separator },
      ...others.map(undoChoice),
    ],
    'Undo what has been changed by',
  );
  if (chosen !== undefined) {
    await app.perform('acp.review.undo', chosen);
  }
}

/** What can be undone of the session that is shown. */
function ofShown(app: App, id: string): Choice<Commands['acp.review.undo']['params']>[] {
  const prompts = app.model
    .state()
    .entries.filter(({ kind, turn }) => kind === 'user' && turn !== undefined);
  return [
    ...prompts.reverse().map((entry) => ({
      label: splitLines(entry.text ?? '')[0] ?? '',
      description: 'this turn',
      value: { session: id, turn: entry.turn ?? '' },
    })),
    { label: 'Everything of this session', value: { session: id } },
  ];
}

/** How a session is offered that is not shown: when it was at work last, and what it has changed. */
function undoChoice(one: Undoable): Choice<Commands['acp.review.undo']['params']> {
  return {
    label: one.title,
    description: [
      one.agent,
      one.time === undefined ? '' : new Date(one.time).toLocaleString(),
      plural(one.files, 'file'),
      one.turn === undefined ? '' : 'at work',
    ]
      .filter((word) => word !== '')
      .join(' · '),
    value: { session: one.session },
  };
}

/** Brings rejected changes back. */
export async function restore(app: App): Promise<void> {
  const result = await app.perform('acp.review.list', { state: 'rejected' });
  if (result === undefined) {
    return;
  }
  const rejected = rejectedOf(result.files, (of) =>
    vscode.workspace.asRelativePath(/^file:/.test(of) ? vscode.Uri.parse(of) : of),
  );
  const discarded = discardedLast(result);
  if (discarded !== undefined) {
    void vscode.window.showWarningMessage(discarded);
  }
  if (rejected.length === 0) {
    if (discarded === undefined) {
      void vscode.window.showInformationMessage('No change has been rejected.');
    }
    return;
  }
  // What is alone needs only a yes, but not where the user may mean what they have discarded since.
  const only = rejected.length === 1 && discarded === undefined;
  const before = discarded === undefined ? 'Changes' : 'Changes rejected before that,';
  const picked = await chooseSome(
    rejected,
    only ? 'Bring this change back?' : `${before} to bring back: Space chooses several`,
    only,
  );
  if (picked?.length === 0) {
    void vscode.window.showInformationMessage(
      'Nothing was brought back: no change was chosen. The arrow keys, or a click, choose one.',
    );
  } else if (picked !== undefined) {
    await app.perform('acp.review.restore', { hunks: picked.map(({ value }) => value) });
  }
}

/** Settles a conflict. */
export async function resolve(app: App, conflicts: PlacedHunk[]): Promise<void> {
  const take = await choose(
    [
      { label: 'Take mine', description: 'keep what stands there', value: 'mine' },
      { label: 'Take theirs', description: 'what the agent wanted', value: 'theirs' },
      { label: 'Take both', description: 'mine, then theirs', value: 'both' },
    ],
    'You and the agent changed the same place',
  );
  if (take !== undefined) {
    for (const { hunk } of conflicts) {
      await app.perform('acp.review.resolve', { hunk: hunk.id, take });
    }
  }
}
