/** The input: text, places that go with it, proposals, sending. */
import type { SessionInfo } from '../../contract';
import type { Attachment, ChatCompletion, HostMessage } from '../protocol';
import { h, icon, iconButton, Region } from './dom';
import { host, type Kept, post } from './host';
import { lostOf, newOf, unsentIn, waitingIn } from './state';
import { type Input, insertWord, take, wantsCompletion } from './typing';

/**
 * For how long, in milliseconds, Enter sends nothing when the focus has come from a question that
 * somebody was at by keys, and nothing has been typed since.
 */
const inert = 500;

export interface ComposerState {
  /** Whether a prompt can be sent. */
  ready: boolean;
  busy: boolean;
  /** Whether what runs can be stopped. */
  stoppable: boolean;
}

export class Composer {
  private readonly input = h('textarea', {
    rows: 2,
    placeholder: 'Ask the agent. @ names files, / gives commands',
    'aria-label': 'Prompt',
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'proposals',
  });
  private readonly list = h('ul', {
    id: 'proposals',
    class: 'proposals',
    role: 'listbox',
    'aria-label': 'Proposals',
    hidden: true,
  });
  /** Why there are no proposals. */
  private readonly hint = h('div', { class: 'proposals hint', role: 'status', hidden: true });
  private readonly problem = h('div', { class: 'problem', role: 'alert', hidden: true });
  private readonly places = new Region<Attachment[]>(
    h('div', { class: 'attachments' }),
    (attachments) =>
      attachments.map(({ label }, at) =>
        h(
          'span',
          { class: 'attachment' },
          label,
          iconButton('cross', `Remove ${label}`, () => {
            this.kept.attachments.splice(at, 1);
            this.keep();
            this.input.focus();
          }),
        ),
      ),
  );
  private readonly sendButton = h('button', {
    type: 'button',
    class: 'send',
    onclick: () => {
      this.send('queue');
      this.input.focus();
    },
  });
  private readonly stopButton = iconButton('stop', 'Stop the agent', () => post({ type: 'stop' }));
  readonly footer = h('div', { class: 'options' });
  readonly element = h(
    'div',
    { class: 'composer' },
    this.list,
    this.hint,
    this.problem,
    h(
      'div',
      { class: 'box' },
      this.places.element,
      this.input,
      h('div', { class: 'bar' }, this.footer, this.stopButton, this.sendButton),
    ),
  );

  private kept: Kept = { draft: '', attachments: [], ...host.getState() };
  private state: ComposerState = { ready: false, busy: false, stoppable: false };
  private request = 0;
  private asked = 0;
  private items: ChatCompletion[] = [];
  private chosen = 0;
  private inertUntil = 0;
  /** Where the caret was when the input got the focus. */
  private from = 0;
  /** How what is in the input is to be sent, once the prompt before it has arrived. */
  private next: 'queue' | 'now' | undefined;

  /** @param onSent is called when a prompt is on its way. */
  constructor(private readonly onSent: () => void) {
    this.stopButton.classList.add('stop-button');
    this.input.value = this.kept.draft;
    this.input.addEventListener('input', () => {
      if (this.inertUntil > 0) {
        this.inertUntil = 0;
        this.say('');
      }
      this.keep();
      this.propose();
    });
    this.input.addEventListener('click', () => this.propose());
    this.input.addEventListener('blur', () => this.close());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('mousedown', (event) => {
      event.preventDefault(); // the focus stays in the input
      const at = [...this.list.children].findIndex((item) => item.contains(event.target as Node));
      this.take(at);
    });
    this.keep();
    this.show(this.state);
  }

  show(state: ComposerState): void {
    this.state = state;
    const label = state.busy ? 'Send when the agent is done (Enter)' : 'Send (Enter)';
    this.sendButton.replaceChildren(icon(state.busy ? 'queue' : 'send'));
    this.sendButton.title = state.busy ? `${label}; Ctrl+Enter sends now and stops it` : label;
    this.sendButton.setAttribute('aria-label', label);
    this.sendButton.disabled = !state.ready || this.kept.sending !== undefined;
    this.stopButton.hidden = !state.stoppable;
  }

  /** A prompt that was under way when the page went: it comes back unless it has arrived. */
  recover(arrived: (text: string) => boolean): void {
    if (this.kept.sending !== undefined && this.request === 0) {
      this.sent(arrived(this.kept.sending.text) ? undefined : '');
    }
  }

  /**
   * Prompts that waited in a session that is gone, or whose agent is, come back, before what is in
   * the input.
   */
  waits(sessions: SessionInfo[]): void {
    if (!this.hint.hidden) {
      this.propose(); // it may be otherwise now
    }
    const { waiting = {}, unsent = [] } = this.kept;
    const now = waitingIn(sessions);
    const given = unsentIn(sessions);
    if (JSON.stringify([waiting, unsent]) === JSON.stringify([now, Object.keys(given)])) {
      return;
    }
    this.kept.waiting = now;
    this.kept.unsent = Object.keys(given);
    const lost = [...lostOf(waiting, sessions), ...newOf(given, unsent)].join('\n');
    if (lost !== '') {
      const rest = this.input.value;
      this.set({ text: rest === '' ? lost : `${lost}\n${rest}`, caret: lost.length });
    }
    this.keep();
  }

  receive(
    message: Extract<HostMessage, { type: 'completions' | 'sent' | 'insert' | 'attach' | 'typed' }>,
  ): void {
    switch (message.type) {
      case 'completions':
        if (message.request === this.asked && document.activeElement === this.input) {
          this.items = message.items;
          this.chosen = 0;
          this.draw(message.hint);
        }
        return;
      case 'sent':
        if (message.request === this.request) {
          this.sent(message.error);
        }
        return;
      case 'insert':
        this.set(insertWord(this.where(), message.text));
        this.input.focus();
        return;
      case 'attach':
        this.kept.attachments.push(message.attachment);
        this.keep();
        this.input.focus();
        return;
      case 'typed':
        this.typed(message.text, message.send);
    }
  }

  focus(): void {
    this.from = this.input.selectionStart;
    this.input.focus();
  }

  /** Takes in what was typed before the input had the focus: what came since is behind it. */
  private typed(text: string, send: boolean): void {
    const { text: now, caret } = this.where();
    const at = Math.min(this.from, now.length);
    const rest = now.slice(at);
    const before = now.slice(0, at) + text;
    this.from = before.length;
    this.set({ text: before + rest, caret: Math.max(caret, at) + text.length });
    if (!send) {
      this.propose();
      return;
    }
    this.set({ text: before, caret: before.length });
    this.send('queue');
    this.from = this.input.value.length;
    if (rest !== '') {
      const left = this.input.value;
      this.set({ text: left + rest, caret: left.length + rest.length });
    }
  }

  /**
   * Takes the focus from what is gone.
   * @param keys whether keys may be on their way to that: one that was meant for it sends nothing
   */
  takeOver(keys: boolean): void {
    this.inertUntil = keys ? performance.now() + inert : 0;
    this.input.focus();
  }

  private send(when: 'queue' | 'now'): void {
    const text = this.input.value;
    const { attachments } = this.kept;
    if (!this.state.ready || text.trim() === '') {
      return;
    }
    if (this.kept.sending !== undefined) {
      this.next = when;
      return;
    }
    this.close();
    this.say('');
    this.kept.sending = { text, attachments };
    this.kept.attachments = [];
    this.set({ text: '', caret: 0 });
    post({ type: 'send', request: ++this.request, text, attachments, when });
    this.onSent();
  }

  /** @param error why the prompt was not taken; it goes back into the input, before what is there. */
  private sent(error?: string): void {
    const { sending } = this.kept;
    const { next } = this;
    delete this.kept.sending;
    this.next = undefined;
    if (error !== undefined && sending !== undefined) {
      const now = this.input.value;
      this.kept.attachments = [...sending.attachments, ...this.kept.attachments];
      this.set({
        text: now === '' ? sending.text : `${sending.text}\n${now}`,
        caret: sending.text.length,
      });
      this.say(error);
    }
    this.keep();
    if (error === undefined && next !== undefined) {
      this.send(next);
    }
  }

  private say(problem: string): void {
    this.problem.textContent = problem;
    this.problem.hidden = problem === '';
  }

  private where(): Input {
    return { text: this.input.value, caret: this.input.selectionStart };
  }

  private set({ text, caret }: Input): void {
    this.input.value = text;
    this.input.setSelectionRange(caret, caret);
    this.keep();
  }

  private keep(): void {
    this.kept.draft = this.input.value;
    host.setState(this.kept);
    this.places.show(this.kept.attachments);
    this.show(this.state);
  }

  private propose(): void {
    const { text, caret } = this.where();
    if (this.input.selectionEnd !== caret || !wantsCompletion({ text, caret })) {
      this.close();
      return;
    }
    post({ type: 'complete', request: ++this.asked, text, offset: caret });
  }

  private close(): void {
    this.asked++;
    this.items = [];
    this.draw();
  }

  private take(at: number): void {
    const item = this.items[at];
    if (item !== undefined) {
      this.set(take(this.input.value, item));
      this.close();
      if (item.kind === 'folder') {
        this.propose();
      }
    }
  }

  private draw(hint = ''): void {
    const { items, chosen } = this;
    this.hint.textContent = hint;
    this.hint.hidden = hint === '';
    this.list.hidden = items.length === 0;
    this.input.setAttribute('aria-expanded', String(items.length > 0));
    this.list.replaceChildren(
      ...items.map(({ label, detail, kind }, at) =>
        h(
          'li',
          {
            id: `proposal-${at}`,
            role: 'option',
            'aria-selected': String(at === chosen),
            class: kind,
          },
          h('span', { class: 'label' }, label),
          detail && h('span', { class: 'dim' }, detail),
        ),
      ),
    );
    if (items.length > 0) {
      this.input.setAttribute('aria-activedescendant', `proposal-${chosen}`);
      this.list.children[chosen]?.scrollIntoView({ block: 'nearest' });
    } else {
      this.input.removeAttribute('aria-activedescendant');
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) {
      return; // the keys are the input method's
    }
    const open = this.items.length;
    if (open > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      this.chosen = (this.chosen + (event.key === 'ArrowDown' ? 1 : open - 1)) % open;
      this.draw();
    } else if (open > 0 && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      this.take(this.chosen);
    } else if (open > 0 && event.key === 'Escape') {
      this.close();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      if (event.timeStamp < this.inertUntil) {
        this.say('Not sent: the question has just gone. Press Enter once more to send this.');
      } else if (!event.repeat) {
        this.send(event.ctrlKey || event.metaKey ? 'now' : 'queue');
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
