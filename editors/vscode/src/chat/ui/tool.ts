/** Tool calls: their state, what they are about, and what they have made. */

import { compare, counts, folded, type Line } from '../../compare';
import type { ToolCall, ToolContent } from '../../contract';
import type { TerminalState, ToolOf } from '../protocol';
import { type Child, h, type Icon, icon } from './dom';
import { post } from './host';
import { render } from './markdown';
import { plain, tail } from './output';
import { many, placeName, statusName, toolCommand, toolTitle } from './words';

/** How many lines of a program's output are shown. */
const shownOutput = 200;

/** What is needed to draw a tool call, but for itself. */
export interface Around {
  cwd: string | undefined;
  terminals: Record<string, TerminalState>;
  /** What the tool call is of, for its differences side by side. */
  of: ToolOf;
}

const icons: Record<string, Icon> = {
  pending: 'circle',
  in_progress: 'spinner',
  completed: 'check',
  failed: 'cross',
  cancelled: 'stop',
  interrupted: 'stop',
};

export function statusIcon(status: string): HTMLElement {
  const name = statusName(status);
  return h(
    'span',
    { class: `status ${status}`, role: 'img', 'aria-label': name, title: name },
    icon(icons[status] ?? 'circle'),
  );
}

/** A place that can be jumped to. */
export function place(
  path: string,
  line: number | undefined,
  cwd: string | undefined,
): HTMLElement {
  return h(
    'button',
    {
      type: 'button',
      class: 'place',
      title: line ? `${path}:${line}` : path,
      onclick: () => post({ type: 'open', path, ...(line !== undefined && { line }) }),
    },
    placeName(path, cwd, line),
  );
}

/** One line for a tool call, and what is folded below it. */
export function toolLine(tool: ToolCall): Child[] {
  const diffs = (tool.content ?? []).filter(({ type }) => type === 'diff');
  const sum = { added: 0, removed: 0 };
  for (const diff of diffs) {
    const { added, removed } = counts(linesOf(diff));
    sum.added += added;
    sum.removed += removed;
  }
  return [
    statusIcon(tool.status),
    h('span', { class: `title ${tool.kind}` }, toolTitle(tool)),
    diffs.length > 0 && stat(sum),
  ];
}

export function toolPlaces(tool: ToolCall, cwd: string | undefined): HTMLElement[] {
  return (tool.locations ?? []).map(({ path, line }) => place(path, line, cwd));
}

/** What a tool call has to show; empty where there is nothing beside its title. */
export function toolBody(tool: ToolCall, around: Around): HTMLElement[] {
  const command = toolCommand(tool);
  return [
    ...(command === undefined ? [] : [commandBox(command)]),
    ...(tool.content ?? []).flatMap((content, at) => contentOf(content, at, around)),
  ];
}

/** A command, whole. */
export function commandBox(command: string): HTMLElement {
  return h('pre', { class: 'command', tabindex: 0, 'aria-label': 'Command' }, command);
}

function contentOf(content: ToolContent, at: number, around: Around): HTMLElement[] {
  switch (content.type) {
    case 'diff':
      return [diffBox(content, at, around)];
    case 'terminal': {
      const terminal = around.terminals[content.terminal ?? ''];
      return terminal === undefined ? [] : [terminalBox(terminal)];
    }
    default: {
      if (content.text) {
        const box = h('div', { class: 'markdown' });
        box.innerHTML = render(content.text);
        return [box];
      }
      const uri = content.uri;
      return uri
        ? [
            h(
              'button',
              { type: 'button', class: 'place', onclick: () => post({ type: 'link', href: uri }) },
              uri,
            ),
          ]
        : [];
    }
  }
}

const compared = new WeakMap<ToolContent, Line[]>();

function linesOf(content: ToolContent): Line[] {
  let lines = compared.get(content);
  if (lines === undefined) {
    lines = compare(content.oldText ?? '', content.newText ?? '');
    compared.set(content, lines);
  }
  return lines;
}

function stat({ added, removed }: { added: number; removed: number }): HTMLElement {
  if (added + removed === 0) {
    return h('span', { class: 'stat dim' }, 'no line differs'); // but line ends may
  }
  return h(
    'span',
    { class: 'stat', 'aria-label': `${many(added, 'line')} added, ${removed} removed` },
    h('span', { class: 'plus' }, `+${added}`),
    ' ',
    h('span', { class: 'minus' }, `−${removed}`),
  );
}

function diffBox(content: ToolContent, at: number, around: Around): HTMLElement {
  const lines = linesOf(content);
  const { of } = around;
  const signs = { added: '+', removed: '−', same: ' ', gap: '⋯' };
  return h(
    'div',
    { class: 'diff' },
    h(
      'div',
      { class: 'diff-head' },
      content.path && place(content.path, undefined, around.cwd),
      content.oldText === undefined && h('span', { class: 'dim' }, 'new file'),
      stat(counts(lines)),
      h(
        'button',
        {
          type: 'button',
          class: 'place side',
          onclick: () => post({ type: 'diff', of, content: at }),
        },
        'Side by side',
      ),
    ),
    h(
      'div',
      { class: 'diff-lines', tabindex: 0, role: 'group', 'aria-label': 'The change' },
      h(
        'div',
        {},
        ...folded(lines).map(({ kind, text }) =>
          h(
            'div',
            { class: `line ${kind}` },
            h('span', { class: 'sign', 'aria-label': kind }, signs[kind]),
            h('span', { class: 'row' }, text || ' '),
          ),
        ),
      ),
    ),
  );
}

function terminalBox({ output, exit }: TerminalState): HTMLElement {
  const { text, before } = tail(plain(output), shownOutput);
  const failed = exit?.signal || (exit?.exitCode ?? 0) !== 0;
  return h(
    'div',
    { class: 'terminal' },
    before > 0 && h('div', { class: 'dim' }, `${many(before, 'line')} above`),
    text !== '' && h('pre', { tabindex: 0, 'aria-label': 'Output' }, text),
    failed &&
      h(
        'div',
        { class: 'failed' },
        exit?.signal ? `ended by ${exit.signal}` : `exit code ${exit?.exitCode}`,
      ),
  );
}
