/** What is around the transcript: sessions, options, changed files, waiting prompts, banners. */
import type { Option, Queued, SessionInfo, Usage } from '../../contract';
import type { ChangedFile, ChatState, ServerState } from '../protocol';
import { type Child, h, iconButton, textButton } from './dom';
import { post } from './host';
import { startable } from './state';
import { failedAbove, fullness, isOpen, many, sessionName, usage, whyFailed } from './words';

export interface Header {
  sessions: SessionInfo[];
  current: string | null;
  asking: string[];
}

export function header({ sessions, current, asking }: Header): Child[] {
  const info = sessions.find(({ session }) => session === current);
  if (info === undefined) {
    return [];
  }
  const mark = (one: SessionInfo) =>
    asking.includes(one.session) ? '? ' : one.state === 'running' ? '● ' : '';
  const select = h(
    'select',
    {
      'aria-label': 'Session',
      'data-key': 'session',
      onchange: () => post({ type: 'select', session: select.value }),
    },
    ...sessions
      .filter((one) => isOpen(one) || one.session === current)
      .map((one) =>
        h(
          'option',
          { value: one.session, selected: one.session === current },
          mark(one) + sessionName(one),
        ),
      ),
  );
  return [
    select,
    iconButton('text', 'Open the transcript as a document', () =>
      post({ type: 'command', command: 'transcript' }),
    ),
    isOpen(info) &&
      iconButton('cross', 'Close this session', () =>
        post({ type: 'command', command: 'closeSession' }),
      ),
  ];
}

export function options({
  options,
  meter,
}: {
  options: Option[];
  meter?: Usage | undefined;
}): Child[] {
  return [...options.map(option), meter && meterOf(meter)];
}

function option({ id, name, description, value, choices }: Option): Child {
  const title = description ? `${name}: ${description}` : name;
  const key = `option-${id}`;
  if (choices !== undefined && choices.length > 0) {
    const select = h(
      'select',
      {
        title,
        'aria-label': name,
        'data-key': key,
        onchange: () => post({ type: 'setOption', option: id, value: select.value }),
      },
      ...choices.map((choice) =>
        h(
          'option',
          { value: choice.value, selected: choice.value === value, title: choice.description },
          choice.name,
        ),
      ),
    );
    return select;
  }
  if (typeof value !== 'boolean') {
    return undefined;
  }
  const box = h('input', {
    type: 'checkbox',
    checked: value,
    'data-key': key,
    onchange: () => post({ type: 'setOption', option: id, value: box.checked }),
  });
  return h('label', { class: 'choice', title }, box, name);
}

function meterOf(meter: Usage): Child {
  const text = usage(meter);
  return h(
    'span',
    { class: 'usage', title: `${text} of the context are used` },
    h('meter', { value: fullness(meter), high: 0.9, 'aria-label': text }),
    text,
  );
}

export function queue(queued: Queued[]): Child[] {
  return queued.map(({ id, text }) => {
    const input = h('textarea', { rows: 1, 'aria-label': 'Waiting prompt', 'data-key': `q-${id}` });
    input.value = text;
    const save = () => {
      if (input.value !== text && input.value.trim() !== '') {
        post({ type: 'editQueued', id, text: input.value });
      }
    };
    input.addEventListener('change', save);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        input.blur();
      }
    });
    return h(
      'div',
      { class: 'queued' },
      h('span', { class: 'dim' }, 'Next'),
      input,
      iconButton('cross', 'Take this prompt back', () => post({ type: 'removeQueued', id })),
    );
  });
}

export function files(changed: ChangedFile[]): Child[] {
  if (changed.length === 0) {
    return [];
  }
  const command = (name: 'changes' | 'acceptAll' | 'rejectAll') => () =>
    post({ type: 'command', command: name });
  const sum = (of: (file: ChangedFile) => number) => changed.reduce((n, file) => n + of(file), 0);
  return [
    h(
      'details',
      {},
      h(
        'summary',
        { 'data-key': 'files' },
        `${many(changed.length, 'file')} `,
        sum(({ added, removed }) => added + removed) > 0 &&
          stat(
            sum(({ added }) => added),
            sum(({ removed }) => removed),
          ),
      ),
      h('ul', {}, ...changed.map(fileRow)),
    ),
    h(
      'div',
      { class: 'files-buttons' },
      textButton('Review', command('changes')),
      iconButton('check', 'Accept all changes', command('acceptAll')),
      iconButton('cross', 'Reject all changes', command('rejectAll')),
    ),
  ];
}

function stat(added: number, removed: number): HTMLElement {
  return h(
    'span',
    { class: 'stat' },
    h('span', { class: 'plus' }, `+${added}`),
    ' ',
    h('span', { class: 'minus' }, `−${removed}`),
  );
}

function fileRow({ uri, label, added, removed, conflicts, whole }: ChangedFile): HTMLElement {
  const decide = (what: 'accept' | 'reject') => () => post({ type: 'decide', what, uri });
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: 'place',
        'data-key': uri,
        onclick: () => post({ type: 'open', uri }),
      },
      label,
    ),
    whole && h('span', { class: 'dim' }, whole),
    conflicts > 0 && h('span', { class: 'failed' }, many(conflicts, 'conflict')),
    (added + removed > 0 || !whole) && stat(added, removed),
    iconButton('check', `Accept all changes of ${label}`, decide('accept')),
    iconButton('cross', `Reject all changes of ${label}`, decide('reject')),
  );
}

export interface Banner {
  server: ServerState;
  problem: string | null;
  info: Pick<SessionInfo, 'state' | 'error' | 'errorKind' | 'agent'> | undefined;
  /** Whether the transcript says already how the session has failed. */
  said: boolean;
}

export function banner({ server, problem, info, said }: Banner): Child[] {
  const command = (name: 'restart' | 'settings' | 'log' | 'login' | 'newSession') => () =>
    post({ type: 'command', command: name });
  if (server.state === 'failed' || server.state === 'stopped') {
    return [
      h('p', {}, server.message ?? 'acp-ls does not run.'),
      h(
        'div',
        { class: 'card-buttons' },
        textButton('Start again', command('restart'), 'primary'),
        textButton('Settings', command('settings')),
        textButton('Log', command('log')),
      ),
    ];
  }
  if (problem !== null) {
    return [
      h('p', {}, problem),
      h(
        'div',
        { class: 'card-buttons' },
        textButton('New session...', command('newSession'), 'primary'),
        textButton('Settings', command('settings')),
        textButton('Log', command('log')),
      ),
    ];
  }
  if (info?.state === 'failed') {
    return [
      h('p', {}, said ? failedAbove(info) : whyFailed(info)),
      h(
        'div',
        { class: 'card-buttons' },
        textButton('New session', () => post({ type: 'newSession', agent: info.agent }), 'primary'),
        info.errorKind === 'authRequired' && textButton('Log in', command('login')),
        textButton('Log', command('log')),
      ),
    ];
  }
  return [];
}

/** What is shown where there is no conversation yet: the one of before, or how to begin. */
export function welcome(shown: Pick<ChatState, 'agents' | 'before'> | undefined): Child[] {
  if (shown === undefined) {
    return [];
  }
  const agents = h(
    'div',
    { class: 'agents' },
    ...startable(shown.agents).map((agent) =>
      textButton(
        agent.title ?? agent.name,
        () => post({ type: 'newSession', agent: agent.name }),
        agent.default && (!shown.before || shown.before.gone) ? 'primary' : 'secondary',
      ),
    ),
    textButton('Default agent...', () => post({ type: 'command', command: 'defaultAgent' })),
  );
  const { before } = shown;
  if (before) {
    return [
      h('h2', {}, 'Conversation of before'),
      h(
        'div',
        { class: 'before' },
        h('span', { class: 'title', title: before.title }, before.title || 'without a title'),
        !before.gone && textButton('Continue', () => post({ type: 'resume' }), 'primary'),
      ),
      h(
        'p',
        { class: 'dim' },
        before.gone
          ? `${before.agent} does not keep conversations: your next prompt begins a new one, in which it does not know what was said. What it has changed is still there to decide on. A new one with:`
          : `Your next prompt continues it too, if ${before.agent} has kept it. A new one with:`,
      ),
      agents,
    ];
  }
  return [
    h('h2', {}, 'Work with a coding agent'),
    h(
      'p',
      {},
      'It sees what you see, unsaved text included. Each change it makes can be accepted or rejected by itself.',
    ),
    h(
      'p',
      { class: 'dim' },
      'Name files with @, or select text and choose “Add Selection to Chat”.',
    ),
    agents,
  ];
}
