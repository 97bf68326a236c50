/**
 * Questions and forms, between the transcript and the input. Nothing here takes the focus, Esc
 * answers nothing, and for half a second after anything has moved no button does. What is asked
 * is scrolled above its buttons, and the host is told if there is no room even for those.
 */
import type { FormQuestion } from '../../contract';
import type { Asked, ChatState, Form } from '../protocol';
import { h, icon } from './dom';
import { post } from './host';
import { toolBody } from './tool';
import { toolTitle } from './words';

/** For how long buttons that have just appeared, or moved, take no click. */
const inert = 500;

export class Questions {
  readonly element = h('section', { class: 'questions', 'aria-label': 'Questions' });
  private cards = new Map<string, HTMLElement>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly sight = new Sight((id) => post({ type: 'unseen', question: id }));

  constructor() {
    window.addEventListener('resize', () => this.sight.look(this.cards));
  }

  show(state: ChatState): void {
    const mine = (of: { session: string }) => of.session === state.current;
    const all: Array<Asked | Form> = [...state.questions, ...state.forms];
    const wanted = [...all.filter(mine), ...all.filter((one) => !mine(one))];
    const ids = wanted.map(({ id }) => id);
    // Cards stay while another session comes to be shown.
    for (const asked of wanted) {
      place(this.cards.get(asked.id), mine(asked));
    }
    if (ids.join('\n') === [...this.cards.keys()].join('\n')) {
      return;
    }
    const cards = new Map<string, HTMLElement>();
    for (const asked of wanted) {
      const card =
        this.cards.get(asked.id) ??
        ('options' in asked ? questionCard(asked, state) : formCard(asked));
      place(card, mine(asked));
      cards.set(asked.id, card);
    }
    for (const [id, card] of this.cards) {
      if (!cards.has(id)) {
        card.remove();
      }
    }
    let before: Element | null = null;
    for (const card of cards.values()) {
      const next: Element | null =
        before === null ? this.element.firstElementChild : before.nextElementSibling;
      if (next !== card) {
        this.element.insertBefore(card, next);
      }
      before = card;
    }
    this.cards = cards;
    this.element.hidden = cards.size === 0;
    this.sight.look(cards);
    this.rest();
  }

  /** The oldest question gets the focus: the card, so that no key answers it. */
  focus(): boolean {
    const card = this.element.firstElementChild as HTMLElement | null;
    card?.focus();
    return card !== null;
  }

  private rest(): void {
    this.element.classList.add('inert');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.element.classList.remove('inert'), inert);
  }
}

/** Tells of the questions that came up where the buttons of none can be seen. */
class Sight {
  private readonly told = new Set<string>();
  private observer: IntersectionObserver | undefined;

  constructor(private readonly unseen: (id: string) => void) {}

  /** Looks once, when the page has been laid out: what is scrolled away later was seen. */
  look(cards: ReadonlyMap<string, HTMLElement>): void {
    this.observer?.disconnect();
    const looked = new Map<Element, string>();
    for (const [id, card] of cards) {
      looked.set(card.querySelector('.card-buttons') ?? card, id);
    }
    const observer = new IntersectionObserver((seen) => {
      observer.disconnect();
      if (window.innerHeight === 0 || seen.some((one) => one.intersectionRatio > 0.9)) {
        return; // the view is being opened, or there is a question to see
      }
      for (const { target } of seen) {
        const id = looked.get(target);
        if (id !== undefined && !this.told.has(id)) {
          this.told.add(id);
          this.unseen(id);
        }
      }
    });
    this.observer = observer;
    for (const buttons of looked.keys()) {
      observer.observe(buttons);
    }
  }
}

/** What is asked, scrolled if it is long; says so as long as its end is out of sight. */
function cardBody(...parts: Node[]): HTMLElement {
  const body = h(
    'div',
    { class: 'card-body', role: 'group', 'aria-label': 'What is asked' },
    ...parts,
  );
  const more = h(
    'button',
    {
      type: 'button',
      class: 'more',
      tabindex: -1,
      hidden: true,
      onclick: () => body.scrollBy({ top: body.clientHeight * 0.8 }),
    },
    icon('down'),
    'more',
  );
  const look = () => {
    const below = body.scrollHeight - body.scrollTop - body.clientHeight;
    more.hidden = below < 2;
    // Keys scroll what has the focus.
    if (body.scrollHeight - body.clientHeight < 2) {
      body.removeAttribute('tabindex');
    } else {
      body.tabIndex = 0;
    }
  };
  body.addEventListener('scroll', look);
  const observer = new ResizeObserver(look);
  for (const part of [body, ...parts]) {
    observer.observe(part as Element);
  }
  return h('div', { class: 'card-scroll' }, body, more);
}

/** Does something unless the card has just appeared. */
function unlessInert(act: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    if ((event.currentTarget as HTMLElement).closest('.inert') === null) {
      act();
    }
  };
}

function card(title: string, { id, session }: Asked | Form, ...parts: Node[]): HTMLElement {
  const label = `question-${id}`;
  const select = () => post({ type: 'select', session });
  return h(
    'div',
    { class: 'card', role: 'group', tabindex: -1, 'aria-labelledby': label, 'data-question': id },
    h(
      'div',
      { class: 'card-head' },
      h('span', { id: label }, title),
      h('button', { type: 'button', class: 'place', onclick: select }, 'in another session'),
    ),
    ...parts,
  );
}

/** Says of a card whether it is of the session that is shown. */
function place(card: HTMLElement | undefined, isHere: boolean): void {
  const button = card?.querySelector<HTMLElement>('.card-head .place');
  if (button) {
    button.hidden = isHere;
  }
}

function questionCard(asked: Asked, state: ChatState): HTMLElement {
  const { id, session, toolCall } = asked;
  // The message tells the place and size of a change, which are seen where the change is.
  const changes = toolCall.content?.some(({ type }) => type === 'diff');
  const message = changes ? toolTitle(toolCall) : asked.message || toolTitle(toolCall);
  const body = toolBody(toolCall, {
    cwd: state.sessions.find((one) => one.session === session)?.cwd,
    terminals: session === state.current ? state.terminals : {},
    // What is asked, and not what some transcript has by the same name.
    of: { question: id },
  });
  const answer = (option?: string) =>
    unlessInert(() =>
      post({ type: 'answer', question: id, ...(option !== undefined && { option }) }),
    );
  const button = (label: string, kind: string, onclick: (event: Event) => void) =>
    h('button', { type: 'button', class: `button ${kind}`, onclick }, label);
  const first = asked.options.find(({ kind }) => kind.startsWith('allow'));
  return card(
    `${asked.agent} asks`,
    asked,
    cardBody(
      h('div', { class: toolCall.kind === 'execute' ? 'message mono' : 'message' }, message),
      ...(message.includes(toolCall.command ?? '\0')
        ? body.filter((part) => !part.classList.contains('command'))
        : body),
    ),
    h(
      'div',
      { class: 'card-buttons' },
      ...asked.options.map((option) =>
        button(option.name, option === first ? 'primary' : 'secondary', answer(option.optionId)),
      ),
      ...(asked.options.some(({ kind }) => kind.startsWith('reject'))
        ? []
        : [button('Refuse', 'secondary', answer())]),
    ),
  );
}

function formCard(asked: Form): HTMLElement {
  const fields = asked.questions.map((question) => field(question, asked.id));
  const send = (action: 'accept' | 'decline' | 'cancel') =>
    post({
      type: 'form',
      form: asked.id,
      action,
      answers:
        action === 'accept'
          ? Object.fromEntries(
              fields.map(({ id, value }) => [id, value()]).filter(([, v]) => v !== undefined),
            )
          : {},
    });
  const form = h(
    'form',
    {
      class: 'form',
      onsubmit: unlessInert(() => send('accept')),
    },
    cardBody(...fields.map(({ element }) => element)),
    h(
      'div',
      { class: 'card-buttons' },
      h('button', { type: 'submit', class: 'button primary' }, 'Submit'),
      h(
        'button',
        { type: 'button', class: 'button secondary', onclick: unlessInert(() => send('decline')) },
        'Decline',
      ),
    ),
  );
  return card(asked.title, asked, form);
}

interface Field {
  id: string;
  element: HTMLElement;
  value(): unknown;
}

function field(question: FormQuestion, form: string): Field {
  const { id, prompt, type, options, multiple, required } = question;
  const name = `${form}-${id}`;
  if (options !== undefined && options.length > 0) {
    const chosen = new Set([question.default].flat().map(String));
    const boxes = options.map((option) =>
      h('input', {
        type: multiple ? 'checkbox' : 'radio',
        name,
        value: option.id,
        checked: chosen.has(option.id),
        required: required && !multiple,
      }),
    );
    return {
      id,
      element: h(
        'fieldset',
        {},
        h('legend', {}, prompt),
        ...options.map((option, at) => h('label', { class: 'choice' }, boxes[at], option.label)),
      ),
      value: () => {
        const ids = boxes.filter(({ checked }) => checked).map(({ value }) => value);
        return ids.length > 0 || multiple ? ids : undefined;
      },
    };
  }
  if (type === 'boolean') {
    const box = h('input', { type: 'checkbox', checked: question.default === true });
    return { id, element: h('label', { class: 'choice' }, box, prompt), value: () => box.checked };
  }
  const numeric = type === 'number' || type === 'integer';
  const input = h('input', {
    type: numeric ? 'number' : 'text',
    step: type === 'number' ? 'any' : undefined,
    required,
    value: question.default === undefined ? undefined : String(question.default),
  });
  return {
    id,
    element: h('label', { class: 'line-field' }, prompt, input),
    value: () => (input.value === '' ? undefined : numeric ? Number(input.value) : input.value),
  };
}
