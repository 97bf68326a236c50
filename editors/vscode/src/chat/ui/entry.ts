/** One entry of a transcript. */
import type { Entry } from '../../contract';
import { h, icon, iconButton, textButton } from './dom';
import { post } from './host';
import { Streamed } from './streamed';
import { type Around, statusIcon, toolBody, toolLine, toolPlaces } from './tool';
import { toolTitle } from './words';

export interface EntryView {
  readonly element: HTMLElement;
  /** Shows the entry as it is now; its kind never changes. */
  update(entry: Entry, around: Around): void;
}

export function entryView(kind: Entry['kind']): EntryView {
  switch (kind) {
    case 'user':
      return user();
    case 'agent':
      return agent();
    case 'thought':
      return thought();
    case 'tool':
      return tool();
    case 'plan':
      return plan();
    case 'permission':
      return permission();
    default:
      return notice(kind);
  }
}

function user(): EntryView {
  const text = h('div', { class: 'text' });
  const actions = h('div', { class: 'entry-actions' });
  const element = h('article', { class: 'entry user', 'aria-label': 'You' }, text, actions);
  return {
    element,
    update: ({ text: said, turn }) => {
      text.textContent = said ?? '';
      actions.replaceChildren();
      if (turn !== undefined) {
        const decide = (what: 'accept' | 'reject') => () => post({ type: 'decide', what, turn });
        actions.append(
          h(
            'span',
            { class: 'undecided-only' },
            iconButton('check', 'Accept all changes of this turn', decide('accept')),
            iconButton('cross', 'Reject all changes of this turn', decide('reject')),
          ),
          iconButton('undo', 'Take back all that this turn has changed', () =>
            post({ type: 'undo', turn }),
          ),
        );
      }
    },
  };
}

function agent(): EntryView {
  const text = new Streamed();
  const element = h('article', { class: 'entry agent', 'aria-label': 'Agent' }, text.element);
  return { element, update: (entry) => text.set(entry.text ?? '') };
}

function thought(): EntryView {
  const text = new Streamed();
  const element = h(
    'article',
    { class: 'entry thought' },
    h('details', {}, h('summary', {}, 'Thought'), text.element),
  );
  return { element, update: (entry) => text.set(entry.text ?? '') };
}

function tool(): EntryView {
  const line = h('summary');
  const bare = h('div', { class: 'bare' });
  const body = h('div', { class: 'body' });
  const details = h('details', {}, line, body);
  const places = h('span', { class: 'places' });
  const element = h('article', { class: 'entry tool' }, details, bare, places);
  let touched = false;
  line.addEventListener('click', () => {
    touched = true;
  });
  let drawn = '';
  return {
    element,
    update: ({ tool: call }, around) => {
      if (call === undefined) {
        return;
      }
      const terminals = (call.content ?? []).map(
        ({ terminal }) => around.terminals[terminal ?? ''],
      );
      const key = JSON.stringify([call, terminals]);
      if (key === drawn) {
        return;
      }
      drawn = key;
      element.setAttribute('aria-label', `Tool: ${toolTitle(call)}`);
      const content = toolBody(call, around);
      const folds = content.length > 0;
      details.hidden = !folds;
      bare.hidden = folds;
      (folds ? line : bare).replaceChildren(...(toolLine(call).filter(Boolean) as Node[]));
      const scrolled = body.querySelector('pre')?.scrollTop;
      body.replaceChildren(...content);
      const output = body.querySelector('.terminal pre');
      if (output !== null) {
        output.scrollTop = call.status === 'in_progress' ? output.scrollHeight : (scrolled ?? 0);
      }
      if (!touched) {
        details.open = terminals.some((terminal) => terminal?.output) || call.status === 'failed';
      }
      places.replaceChildren(...toolPlaces(call, around.cwd));
    },
  };
}

function plan(): EntryView {
  const list = h('ul');
  const element = h(
    'article',
    { class: 'entry plan', 'aria-label': 'Plan' },
    h('div', { class: 'head' }, 'Plan'),
    list,
  );
  return {
    element,
    update: ({ plan: items }) =>
      list.replaceChildren(
        ...(items ?? []).map(({ content, status, priority }) =>
          h(
            'li',
            { class: status },
            statusIcon(status),
            h('span', {}, content),
            priority === 'high' && h('span', { class: 'dim' }, 'important'),
          ),
        ),
      ),
  };
}

function permission(): EntryView {
  const element = h('article', { class: 'entry permission', 'aria-label': 'Permission' });
  return {
    element,
    update: ({ question, answer, text }) => {
      const title = question === undefined ? (text ?? '') : toolTitle(question.toolCall);
      element.replaceChildren(
        icon('question'),
        h('span', { class: 'title' }, title),
        h('span', { class: answer ? 'answer' : 'answer open' }, answer || 'open'),
      );
    },
  };
}

function notice(kind: string): EntryView {
  const text = new Streamed();
  const label = kind === 'error' ? 'Error' : 'Notice';
  const element = h('article', { class: `entry ${kind}`, 'aria-label': label }, text.element);
  let button: HTMLElement | undefined;
  let agent: string | undefined;
  return {
    element,
    update: (entry) => {
      text.set(entry.text ?? '');
      if (entry.restart !== agent) {
        agent = entry.restart;
        button?.remove();
        button = agent === undefined ? undefined : restartButton(agent);
        element.append(...(button ? [button] : []));
      }
    },
  };
}

function restartButton(agent: string): HTMLElement {
  const button = textButton(`Restart ${agent}`, () => post({ type: 'restartAgent', agent }));
  return h('div', { class: 'card-buttons' }, button);
}
