/** The little that is needed to build elements. */

export type Child = Node | string | undefined | null | false;

type Value = string | number | boolean | undefined | ((event: never) => void);

/** An element. Members that are functions are listeners (`onclick`); true is an empty attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  members: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(members)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(
    ...children.filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/** Paths of 16 by 16, drawn as lines. */
const icons = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  circle: 'M8 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7',
  spinner: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  send: 'M8 13V3.5M4 7.5l4-4 4 4',
  queue: 'M3 4h10M3 8h10M3 12h6',
  stop: 'M5 5h6v6H5z',
  plus: 'M8 3v10M3 8h10',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  pen: 'M3 13l.8-3L11 2.8 13.2 5 6 12.2z',
  text: 'M4 2h6l3 3v9H4zM6.5 8h4M6.5 11h4',
  down: 'M8 3v9M4 8.5 8 12.5l4-4',
  undo: 'M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6',
  question: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M8 12.4v.6',
} as const;

export type Icon = keyof typeof icons;

export function icon(name: Icon): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', icons[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an icon alone; `label` says what it does. */
export function iconButton(name: Icon, label: string, onclick: () => void): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'icon-button', title: label, 'aria-label': label, onclick },
    icon(name),
  );
}

export function textButton(
  label: string,
  onclick: () => void,
  kind = 'secondary',
): HTMLButtonElement {
  return h('button', { type: 'button', class: `button ${kind}`, onclick }, label);
}

/**
 * A part of the page that is drawn anew when what it shows has changed, and only then: a menu that
 * or a list that is open stays so. The focus stays on the element with the same `data-key`, or on
 * the button that is called the same.
 */
export class Region<T> {
  private drawn = '';

  constructor(
    readonly element: HTMLElement,
    private readonly draw: (value: T) => Child[],
  ) {}

  show(value: T): void {
    const key = JSON.stringify(value);
    if (key === this.drawn) {
      return;
    }
    this.drawn = key;
    const focused = document.activeElement;
    const had = this.element.contains(focused) ? keyOf(focused as HTMLElement) : undefined;
    const children = this.draw(value).filter(
      (child) => child !== undefined && child !== null && child !== false,
    );
    const unfolded = this.element.querySelector('details')?.open ?? false;
    this.element.replaceChildren(...children);
    this.element.querySelector('details')?.toggleAttribute('open', unfolded);
    this.element.hidden = children.length === 0;
    // The page remembers what has had its focus, and would take it from an editor.
    if (had !== undefined && document.hasFocus()) {
      const all = this.element.querySelectorAll<HTMLElement>('[data-key], button');
      [...all].find((one) => keyOf(one) === had)?.focus();
    }
  }
}

function keyOf({ dataset, ariaLabel, textContent }: HTMLElement): string {
  return dataset.key ?? ariaLabel ?? textContent ?? '';
}
