/** The transcript of the session that is shown. Follows its end unless the user has scrolled up. */
import type { Entry } from '../../contract';
import type { ChatState } from '../protocol';
import { h, iconButton } from './dom';
import { type EntryView, entryView } from './entry';
import { currentOf } from './state';

/** So far from the end, in pixels, still counts as there. */
const near = 40;

export class Transcript {
  private readonly list = h('div', { class: 'entries' });
  readonly scroller = h(
    'div',
    {
      class: 'scroller',
      tabindex: 0,
      role: 'log',
      'aria-live': 'off',
      'aria-label': 'Conversation',
    },
    this.list,
  );
  private readonly toEnd = iconButton('down', 'Go to the end', () => this.follow());
  readonly element = h('main', { class: 'transcript' }, this.scroller, this.toEnd);
  private views = new Map<string, { kind: string; view: EntryView; entry: Entry }>();
  private session: string | null = null;
  private following = true;
  /** How far it was scrolled. */
  private top = 0;

  constructor() {
    this.toEnd.classList.add('to-end');
    this.toEnd.hidden = true;
    this.scroller.addEventListener('scroll', () => {
      const { scrollTop, scrollHeight, clientHeight } = this.scroller;
      // What is below the transcript may grow before this is told: only who goes up leaves the end.
      if (scrollHeight - scrollTop - clientHeight < near) {
        this.following = true;
      } else if (scrollTop < this.top) {
        this.following = false;
      }
      this.top = scrollTop;
      this.toEnd.hidden = this.following;
    });
    const settle = () => this.settle();
    this.list.addEventListener('grown', settle);
    new ResizeObserver(settle).observe(this.scroller);
    new ResizeObserver(settle).observe(this.list);
  }

  /** Shows all entries: those that are drawn already are kept. */
  show(state: ChatState): void {
    if (state.current !== this.session) {
      this.session = state.current;
      this.views.clear();
      this.list.replaceChildren();
      this.following = true;
    }
    const ids = new Set(state.entries.map(({ id }) => id));
    for (const [id, { view }] of this.views) {
      if (!ids.has(id)) {
        view.element.remove();
        this.views.delete(id);
      }
    }
    for (const entry of state.entries) {
      this.update(entry, state);
    }
    this.settle();
  }

  /** Shows an entry that is new or has changed. */
  update(entry: Entry, state: ChatState): void {
    let shown = this.views.get(entry.id);
    if (shown === undefined || shown.kind !== entry.kind) {
      const view = entryView(entry.kind);
      if (shown === undefined) {
        this.list.append(view.element);
      } else {
        shown.view.element.replaceWith(view.element);
      }
      shown = { kind: entry.kind, view, entry };
      this.views.set(entry.id, shown);
    }
    shown.entry = entry;
    shown.view.update(entry, {
      cwd: currentOf(state)?.cwd,
      terminals: state.terminals,
      of: { session: this.session ?? '', entry: entry.id },
    });
    this.settle();
  }

  /** A program's output has grown. */
  terminal(id: string, state: ChatState): void {
    for (const { entry } of this.views.values()) {
      if (entry.tool?.content?.some(({ terminal }) => terminal === id)) {
        this.update(entry, state);
      }
    }
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.following = true;
    this.settle();
  }

  /** For who reads it by keys. */
  focus(): boolean {
    this.scroller.focus({ preventScroll: true });
    return this.scroller.checkVisibility();
  }

  private settle(): void {
    if (this.following) {
      this.scroller.scrollTop = this.scroller.scrollHeight;
      this.top = this.scroller.scrollTop;
      this.toEnd.hidden = true;
    }
  }
}
