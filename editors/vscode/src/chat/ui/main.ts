/** The chat's page. */
import { restartOffer } from '../offer';
import type { HostMessage } from '../protocol';
import { Composer } from './composer';
import { h, Region } from './dom';
import { post } from './host';
import { banner, files, header, options, queue, welcome } from './parts';
import { Questions } from './questions';
import { apply, currentOf, emptyState } from './state';
import { Transcript } from './transcript';
import { activity, isBusy, isOpen, isSaid, outcome, toolTitle } from './words';

interface Activity {
  text: string;
  isBusy: boolean;
}

const state = emptyState();
const transcript = new Transcript();
const questions = new Questions();
const composer = new Composer(() => transcript.follow());
const top = new Region(h('header', { class: 'header' }), header);
const hello = new Region(h('section', { class: 'welcome' }), welcome);
const trouble = new Region(h('section', { class: 'banner', role: 'alert' }), banner);
const changed = new Region(h('section', { class: 'files', 'aria-label': 'Changes' }), files);
const waiting = new Region(
  h('section', { class: 'queue', 'aria-label': 'Waiting prompts' }),
  queue,
);
const choices = new Region(composer.footer, options);
const busy = new Region(h('div', { class: 'activity' }), ({ text, isBusy }: Activity) =>
  text === '' ? [] : [isBusy && h('span', { class: 'dot' }), text],
);
/** What a screen reader is to say. */
const spoken = h('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });

const app = document.getElementById('app');
app?.append(
  top.element,
  hello.element,
  transcript.element,
  busy.element,
  trouble.element,
  questions.element,
  changed.element,
  waiting.element,
  composer.element,
  spoken,
);

function drawAround(): void {
  const info = currentOf(state);
  const asking = [...state.questions, ...state.forms].map(({ session }) => session);
  top.show({
    sessions: state.sessions.map((one) => ({ ...one, queue: [], commands: [], options: [] })),
    current: state.current,
    asking,
  });
  const empty = state.entries.length === 0;
  hello.show(
    empty && state.server.state === 'running'
      ? { agents: info ? [] : state.agents, before: info ? null : state.before }
      : undefined,
  );
  transcript.element.hidden = empty && !isOpen(info);
  busy.show({ text: activity(info, state.entries), isBusy: isBusy(info) });
  trouble.show({
    server: state.server,
    problem: state.problem,
    info: info && {
      state: info.state,
      agent: info.agent,
      ...(info.error && { error: info.error }),
      ...(info.errorKind && { errorKind: info.errorKind }),
    },
    said: isSaid(info, state.entries),
  });
  questions.show(state);
  app?.classList.toggle('asking', asking.length > 0);
  changed.show(state.files);
  app?.classList.toggle('undecided', state.files.length > 0);
  waiting.show(info?.queue ?? []);
  choices.show({ options: isOpen(info) ? (info?.options ?? []) : [], meter: info?.usage });
  composer.show({
    ready: state.server.state === 'running' || state.server.state === 'starting',
    busy: isBusy(info),
    stoppable: isBusy(info) && restartOffer(info, state.entries) === undefined,
  });
}

function receive(message: HostMessage): void {
  const had = document.activeElement;
  const part = [questions, transcript].find(({ element }) => element.contains(had));
  const keys = part === questions && had?.matches(':focus-visible') === true;
  draw(message);
  const { body, activeElement: has } = document;
  const gone = had !== body && (has === null || has === body || !has.checkVisibility());
  // Somebody who uses keys goes on at the next question or the prompt, or reads on.
  if (gone && document.hasFocus() && part?.focus() !== true) {
    composer.takeOver(keys);
  }
}

function draw(message: HostMessage): void {
  const was = currentOf(state);
  const asked = new Set([...state.questions, ...state.forms].map(({ id }) => id));
  apply(state, message);
  switch (message.type) {
    case 'state':
    case 'current':
      transcript.show(state);
      break;
    case 'entry':
      transcript.update(message.entry, state);
      break;
    case 'chunk': {
      const entry = state.entries.findLast(({ id }) => id === message.id);
      if (entry !== undefined) {
        transcript.update(entry, state);
      }
      return; // nothing else changes, and there are many
    }
    case 'terminal':
      transcript.terminal(message.terminal, state);
      return;
    case 'questions':
      for (const one of message.questions.filter(({ id }) => !asked.has(id))) {
        say(`${one.agent} asks: ${one.message || toolTitle(one.toolCall)}`);
      }
      break;
    case 'forms':
      for (const one of message.forms.filter(({ id }) => !asked.has(id))) {
        say(one.title);
      }
      break;
    case 'sent':
      composer.receive(isError(message.error) ? { ...message, error: '' } : message);
      return;
    case 'completions':
    case 'insert':
    case 'attach':
    case 'typed':
      composer.receive(message);
      return;
    case 'focus':
      if (message.on === 'input' || !questions.focus()) {
        composer.focus();
      }
      sayFocused();
      return;
  }
  drawAround();
  if (message.type === 'state' || message.type === 'session') {
    composer.waits(state.sessions);
  }
  if (message.type === 'state') {
    composer.recover(arrived);
  }
  if (message.type === 'session' || message.type === 'state') {
    const now = outcome(was, currentOf(state), state.entries);
    if (now !== undefined) {
      say(now);
    }
  }
}

/** Whether that is why the session that is shown has failed, which is said there. */
function isError(text: string | undefined): boolean {
  const info = currentOf(state);
  return info?.state === 'failed' && text !== undefined && info.error?.trim() === text.trim();
}

/**
 * For how long, in milliseconds, the page waits for the focus that it has taken: where it runs in a
 * process of its own the rest of the window has to be asked.
 */
const takes = 100;

/** Says, once it is known, whether the page has the focus. */
function sayFocused(): void {
  const said = () => {
    clearTimeout(timer);
    window.removeEventListener('focus', said);
    post({ type: 'focused', has: document.hasFocus() });
  };
  const timer = setTimeout(said, document.hasFocus() ? 0 : takes);
  window.addEventListener('focus', said);
}

/** VS Code gives the focus to the page, and to nothing in it: what is typed then is for the prompt. */
function focusPrompt(): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) {
    composer.focus();
  }
}

/** Keys that write, or begin to. */
function writes({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && ([...key].length === 1 || /^(Dead|Process)$/.test(key));
}

function arrived(text: string): boolean {
  const is = (other?: string) => other?.trim() === text.trim();
  return (
    state.entries.some((entry) => entry.kind === 'user' && is(entry.text)) ||
    (currentOf(state)?.queue.some((queued) => is(queued.text)) ?? false)
  );
}

function say(text: string): void {
  spoken.textContent = text;
}

/** Links and copy buttons are in texts that are drawn as a whole. */
function activate(event: Event): void {
  const target = event.target as Element;
  const href = target.closest<HTMLElement>('[data-href]')?.dataset.href;
  if (href !== undefined) {
    event.preventDefault();
    post({ type: 'link', href });
    return;
  }
  const copy = target.closest('.copy');
  if (copy !== null && event.type === 'click') {
    const text = copy.parentElement?.querySelector('pre')?.textContent ?? '';
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('It could not be copied'),
    );
  }
}

document.addEventListener('click', activate);
window.addEventListener('focus', focusPrompt);
document.addEventListener('keydown', (event) => {
  if (writes(event)) {
    focusPrompt(); // where the key itself then goes
  }
  if (event.key === 'Enter' && (event.target as Element).closest('[data-href]') !== null) {
    activate(event);
  }
});
window.addEventListener('message', (event: MessageEvent<HostMessage>) => receive(event.data));
drawAround();
if (document.hasFocus()) {
  focusPrompt();
}
post({ type: 'ready' });
