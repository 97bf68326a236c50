/** Markdown that grows: what is finished is drawn once. */
import { h, icon } from './dom';
import { lastBlock, type Memory, render } from './markdown';

export class Streamed {
  readonly element = h('div', { class: 'markdown' });
  private readonly done = h('div');
  private readonly open = h('div');
  private text = '';
  /** How much of the text is in `done`. */
  private frozen = 0;
  private memory: Memory = {};
  private frame: number | undefined;

  constructor() {
    this.element.append(this.done, this.open);
  }

  /** Shows a text, which mostly begins with the one that was shown. */
  set(text: string): void {
    if (text === this.text) {
      return;
    }
    if (!text.startsWith(this.text)) {
      this.frozen = 0;
      this.memory = {};
      this.done.replaceChildren();
    }
    this.text = text;
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = undefined;
    const rest = this.text.slice(this.frozen);
    const last = lastBlock(rest);
    if (last > 0) {
      const block = h('div');
      fill(block, rest.slice(0, last), this.memory);
      this.done.append(block);
      this.frozen += last;
    }
    fill(this.open, rest.slice(last), this.memory);
    this.element.dispatchEvent(new CustomEvent('grown', { bubbles: true }));
  }
}

/** `render` leaves no HTML of the text's own. */
function fill(element: HTMLElement, text: string, memory: Memory): void {
  element.innerHTML = render(text, memory);
  for (const button of element.querySelectorAll('.copy')) {
    button.append(icon('copy'));
  }
}
