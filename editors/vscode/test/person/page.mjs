// node test/person/page.mjs [FOLDER]: the chat's page alone, in a browser, with a host that only
// notes what it is told. Pictures go to FOLDER. Exit code 0 if all checks passed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { extension, findBrowser } from '../vscode.mjs';

const folder = process.argv[2];
const file = (name) => fs.readFileSync(path.join(extension, 'dist', name), 'utf8');
const theme = {
  foreground: '#cccccc',
  descriptionForeground: '#9d9d9d',
  'font-family': 'sans-serif',
  'font-size': '13px',
  'editor-font-family': 'monospace',
  'editor-font-size': '12px',
  'editor-background': '#1f1f1f',
  'editorWidget-background': '#202020',
  'input-background': '#313131',
  'badge-background': '#616161',
  'badge-foreground': '#f8f8f8',
  'panel-border': '#3b3b3b',
  focusBorder: '#0078d4',
  'button-background': '#0078d4',
  'button-foreground': '#ffffff',
  'button-secondaryBackground': '#313131',
  'button-secondaryForeground': '#cccccc',
  'textLink-foreground': '#4daafc',
  'dropdown-background': '#313131',
  'editorSuggestWidget-background': '#202020',
  'editorSuggestWidget-selectedBackground': '#04395e',
  'textCodeBlock-background': '#2b2b2b',
  'diffEditor-insertedLineBackground': '#9ccc2c33',
  'diffEditor-removedLineBackground': '#ff000033',
  'progressBar-background': '#0078d4',
};

const session = (members) => ({
  session: 's1',
  agent: 'demo',
  sessionId: 'a',
  cwd: '/w',
  title: 'Rename a word',
  state: 'idle',
  options: [
    {
      id: 'mode',
      name: 'Mode',
      type: 'select',
      value: 'ask',
      choices: [
        { value: 'ask', name: 'Ask' },
        { value: 'edit', name: 'Edit' },
      ],
    },
  ],
  commands: [],
  usage: { used: 12_345, size: 200_000, cost: 0.12, currency: 'USD' },
  queue: [],
  questions: [],
  pending: { files: 1, hunks: 2 },
  ...members,
});
const diff = {
  type: 'diff',
  path: '/w/main.go',
  oldText: 'package main\n\nfunc a() {}\n',
  newText: 'package main\n\nfunc b() {}\n',
};
const tool = (id, members) => ({ id, title: id, kind: 'read', status: 'completed', ...members });
const entries = [
  { id: '1', kind: 'user', turn: 't1', text: 'Rename a to b in @main.go' },
  { id: '2', kind: 'thought', text: 'It is used twice.' },
  {
    id: '3',
    kind: 'tool',
    tool: tool('c1', { title: 'Read main.go', locations: [{ path: '/w/main.go', line: 3 }] }),
  },
  {
    id: '4',
    kind: 'plan',
    plan: [
      { content: 'Look', priority: 'medium', status: 'completed' },
      { content: 'Rename', priority: 'high', status: 'in_progress' },
    ],
  },
  {
    id: '5',
    kind: 'tool',
    tool: tool('c2', { title: 'Edit main.go', kind: 'edit', content: [diff] }),
  },
  {
    id: '6',
    kind: 'tool',
    tool: tool('c3', {
      title: 'go test ./...',
      kind: 'execute',
      status: 'failed',
      command: 'go test ./...',
      content: [{ type: 'terminal', terminal: 'x' }],
    }),
  },
  {
    id: '7',
    kind: 'agent',
    text: 'I renamed **one** function, see [main.go](main.go#L3):\n\n```go\nfunc b() {}\n```\n\n<img src=x onerror="document.title=1">\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n',
  },
  { id: '8', kind: 'notice', text: 'demo stopped early.' },
];
const question = {
  id: 'q1',
  session: 's1',
  agent: 'demo',
  message: 'rm -rf build && make all',
  toolCall: tool('c4', {
    title: 'rm -rf build && make all',
    kind: 'execute',
    status: 'pending',
    command: 'rm -rf build && make all',
  }),
  options: [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ],
  since: 0,
};
const edit = {
  ...question,
  id: 'q2',
  message: 'Edit main.go',
  toolCall: tool('c2', { title: 'Edit main.go', kind: 'edit', content: [diff] }),
};
const state = (members) => ({
  type: 'state',
  state: {
    server: { state: 'running' },
    sessions: [session()],
    current: 's1',
    entries,
    terminals: { x: { output: 'FAIL\u001b[31m a\u001b[0m\r\nFAIL\n', exit: { exitCode: 1 } } },
    questions: [],
    forms: [],
    agents: [{ name: 'demo', title: 'Demo', installed: true, how: '', running: true }],
    files: [
      { uri: 'file:///w/main.go', label: 'main.go', added: 2, removed: 1, hunks: 2, conflicts: 0 },
    ],
    before: null,
    problem: null,
    ...members,
  },
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || findBrowser(),
  args: ['--no-sandbox', '--disable-gpu'],
});
let code = 1;
try {
  const page = await browser.newPage({ viewport: { width: 420, height: 900 } });
  const problems = [];
  page.on('pageerror', (err) => problems.push(err.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const colours = Object.entries(theme).map(([name, value]) => `--vscode-${name}: ${value};`);
  const style = `:root { ${colours.join(' ')} } body { background: #181818; }`;
  await page.setContent(
    `<!DOCTYPE html><html lang="en"><head><style>${style}${file('chat.css')}</style></head><body><div id="app"></div></body></html>`,
  );
  await page.evaluate(() => {
    window.told = [];
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => window.told.push(message),
      getState: () => window.keptState,
      setState: (kept) => {
        window.keptState = structuredClone(kept);
      },
    });
  });
  await page.addScriptTag({ content: file('chat.js') });
  const send = (message) => page.evaluate((data) => window.postMessage(data), message);
  const told = (type) =>
    page.evaluate((of) => window.told.filter((message) => message.type === of), type);
  const shot = async (name) =>
    folder && (await page.screenshot({ path: path.join(folder, `page-${name}.png`) }));
  assert.equal((await told('ready')).length, 1);

  await send(state({ sessions: [], current: null, entries: [], files: [] }));
  await page.getByRole('button', { name: 'Demo' }).waitFor();
  await shot('welcome');

  const title = 'Rename a word that is in so many places that it does not fit in here';
  const before = { agent: 'demo', title };
  await send(state({ sessions: [], current: null, entries: [], files: [], before }));
  await page.getByText(title).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Work with a coding agent' }).count(), 0);
  await page.getByRole('button', { name: 'Demo' }).waitFor(); // there is a way to begin anew
  await shot('before');
  await page.getByRole('button', { name: 'Continue' }).click();
  assert.equal((await told('resume')).length, 1);

  await send(
    state({
      sessions: [],
      current: null,
      entries: [],
      files: [],
      before: { ...before, gone: true },
    }),
  );
  await page.getByText('demo does not keep conversations').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0);

  await send(state());
  await page.getByText('one', { exact: true }).waitFor();
  assert.equal(await page.locator('.entry').count(), entries.length);
  assert.equal(await page.locator('.entry img').count(), 0, 'HTML of an agent is not text');
  await page.getByText('Edit main.go').click();
  assert.equal(await page.locator('.line.added .row').textContent(), 'func b() {}');
  await page.getByRole('button', { name: 'main.go:3' }).click();
  assert.deepEqual(await told('open'), [{ type: 'open', path: '/w/main.go', line: 3 }]);
  await page.getByRole('link', { name: 'main.go' }).click();
  assert.deepEqual(await told('link'), [{ type: 'link', href: 'main.go#L3' }]);
  await shot('entries');

  // A turn is decided on where its prompt is, by keys too, as long as there is anything to decide on.
  const ofTurn = (what) =>
    page.locator('.entry.user').getByRole('button', { name: `${what} all changes of this turn` });
  await ofTurn('Accept').press('Enter');
  await ofTurn('Reject').press('Enter');
  assert.deepEqual(
    await told('decide'),
    ['accept', 'reject'].map((what) => ({ type: 'decide', what, turn: 't1' })),
  );
  await send({ type: 'files', files: [] });
  await ofTurn('Accept').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Take back all' }).waitFor();
  await send(state());
  await ofTurn('Accept').waitFor();

  // Streaming: what is finished is left alone.
  await send({ type: 'session', info: session({ state: 'running' }) });
  await send({ type: 'entry', entry: { id: '9', kind: 'agent', text: 'First.\n\n' } });
  await page.getByText('First.').evaluate((element) => element.classList.add('kept'));
  for (const text of ['Sec', 'ond *wor', 'd*.']) {
    await send({ type: 'chunk', id: '9', text });
  }
  await page.locator('em', { hasText: 'word' }).waitFor();
  await page.getByRole('button', { name: 'Stop the agent' }).click();
  assert.equal((await told('stop')).length, 1);

  // A question takes no answer at first, takes no focus, and Esc is none.
  const input = page.getByRole('combobox', { name: 'Prompt' });
  await input.click();
  await send({ type: 'questions', questions: [edit, question] });
  const allow = page.locator('[data-question=q2]').getByRole('button', { name: 'Allow' });
  await allow.waitFor();
  assert.ok(await input.evaluate((element) => element === document.activeElement));
  await allow.evaluate((element) => element.click());
  await page.keyboard.press('Escape');
  assert.deepEqual(await told('answer'), []);
  await page.locator('.questions:not(.inert)').waitFor();
  await shot('questions');
  await send({ type: 'focus', on: 'question' });
  await page.locator('[data-question=q2]:focus').waitFor();
  for (const key of ['Escape', 'Enter', 'Space']) {
    await page.keyboard.press(key);
  }
  assert.deepEqual(await told('answer'), [], 'a key has answered');
  await allow.press('Enter');
  assert.deepEqual(await told('answer'), [{ type: 'answer', question: 'q2', option: 'yes' }]);
  await send({ type: 'questions', questions: [question] });
  await page.locator('[data-question=q1]:focus').waitFor(); // whoever uses keys goes on there
  const reject = page.locator('[data-question=q1]').getByRole('button', { name: 'Reject' });
  await page.locator('.questions.inert').waitFor(); // the other one has moved under the mouse
  await reject.evaluate((element) => element.click());
  assert.equal((await told('answer')).length, 1);
  await page.locator('.questions:not(.inert)').waitFor();
  await input.fill('half a prompt');
  await reject.press('Enter');
  assert.deepEqual((await told('answer'))[1], { type: 'answer', question: 'q1', option: 'no' });
  await page.evaluate(() => {
    const send = new MessageEvent('message', { data: { type: 'questions', questions: [] } });
    const enter = { key: 'Enter', bubbles: true };
    window.dispatchEvent(send);
    window.focusWas = document.activeElement.ariaLabel;
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', enter)); // pressed twice
  });
  assert.equal(await page.evaluate(() => window.focusWas), 'Prompt');
  assert.deepEqual(await told('send'), []);
  const hint = page.getByText('Press Enter once more');
  await hint.waitFor();
  await input.press('!');
  await hint.waitFor({ state: 'hidden' });
  await input.fill('half a prompt');

  // Who answers with the mouse, or was at no question, has not meant Enter for one.
  await send({ type: 'questions', questions: [question] });
  await page.locator('.questions:not(.inert)').waitFor();
  await reject.click();
  const enterAt = (data) => {
    window.dispatchEvent(new MessageEvent('message', { data }));
    const enter = { key: 'Enter', bubbles: true };
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', enter));
  };
  await page.evaluate(enterAt, { type: 'questions', questions: [] });
  assert.deepEqual(
    (await told('send')).map(({ text }) => text),
    ['half a prompt'],
  );
  assert.equal(await hint.isVisible(), false);
  // Enter in the moment before that has arrived is not lost.
  await input.fill('at once');
  await input.press('Enter');
  assert.equal((await told('send')).length, 1);
  await send({ type: 'sent', request: 1 });
  await page.waitForFunction(() => window.told.at(-1).text === 'at once');
  assert.equal(await input.inputValue(), '');
  await send({ type: 'sent', request: 2 });
  await input.fill('another');
  await page.getByRole('button', { name: 'Reject all changes', exact: true }).focus();
  await page.evaluate(enterAt, { type: 'files', files: [] });
  assert.equal((await told('send')).at(-1).text, 'another');
  await send({ type: 'sent', request: 3 });
  await send(state({ sessions: [session({ state: 'running' })] }));
  await page.getByRole('button', { name: 'Accept all changes', exact: true }).waitFor();
  await page.evaluate(() => {
    window.told = window.told.filter(({ type }) => type !== 'send');
  });

  // What is typed at nothing is for the prompt, keys of commands and of what is at something are not;
  // what was typed before the page had the focus is put before what has been typed since.
  const blur = () => page.evaluate(() => document.activeElement.blur());
  const giveFocus = async () => {
    await page.evaluate(() => {
      window.told = window.told.filter(({ type }) => type !== 'focused');
    });
    await send({ type: 'focus', on: 'input' });
    await page.waitForFunction(() => window.told.some(({ type }) => type === 'focused'));
  };
  await input.fill('');
  await blur();
  await page.keyboard.press('Control+c');
  assert.equal(await input.evaluate((element) => element === document.activeElement), false);
  await page.keyboard.type('so');
  assert.equal(await input.inputValue(), 'so');
  await blur();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  assert.ok(await input.evaluate((element) => element === document.activeElement));
  await page.locator('.scroller').focus();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  assert.equal(await input.evaluate((element) => element === document.activeElement), false);
  await input.fill('kept: ');
  await giveFocus();
  assert.equal((await told('focused'))[0].has, true);
  await page.keyboard.type('later');
  await send({ type: 'typed', text: 'sooner ', send: false });
  await page.waitForFunction(() => document.activeElement.value === 'kept: sooner later');
  await page.keyboard.type('!');
  assert.equal(await input.inputValue(), 'kept: sooner later!');
  await input.fill('');
  await giveFocus();
  await page.keyboard.type('rest');
  await send({ type: 'typed', text: 'gone', send: true });
  await page.waitForFunction(() => window.told.at(-1).text === 'gone');
  assert.equal(await input.inputValue(), 'rest');
  const early = (await told('send')).at(-1);
  assert.equal(early.text, 'gone');
  await send({ type: 'sent', request: early.request });
  await input.fill('');
  await page.evaluate(() => {
    window.told = window.told.filter(({ type }) => type !== 'send');
  });

  // A part that is drawn anew keeps the focus where it is.
  const all = page.getByRole('button', { name: 'Accept all changes', exact: true });
  await all.focus();
  const changed = { uri: 'file:///w/b.go', label: 'b.go', added: 1, removed: 0, hunks: 1 };
  await send({ type: 'files', files: [{ ...changed, conflicts: 0 }] });
  await page.getByText('b.go').waitFor({ state: 'attached' });
  assert.ok(await all.evaluate((element) => element === document.activeElement));
  // A change that is of no line is said in words, and not counted as none.
  const bare = { ...changed, added: 0, hunks: 0, conflicts: 0, whole: 'executable now' };
  await send({ type: 'files', files: [bare] });
  await page.locator('.files li', { hasText: 'executable now' }).waitFor({ state: 'attached' });
  assert.equal(await page.locator('.files .stat').count(), 0);
  await send({ type: 'files', files: [] });
  await page.waitForFunction(() => document.activeElement.ariaLabel === 'Prompt');

  // In a low window the whole of a long command can be read, above buttons that stay in sight.
  const long = `rm -rf build && make ${'x'.repeat(300)}`;
  const command = { ...question, id: 'long', message: `Clean up\n${long} END` };
  command.toolCall = { ...question.toolCall, title: 'Clean up', command: `${long} END` };
  const card = page.locator('[data-question=long]');
  const inSight = (locator) =>
    locator.evaluate((element) => {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      const at = (y) => document.elementFromPoint((left + right) / 2, y);
      const shown = (y) => element.contains(at(y)) || at(y)?.contains(element);
      return top >= 0 && bottom <= window.innerHeight && shown(top + 2) && shown(bottom - 2);
    });
  await send({ type: 'questions', questions: [command, question] });
  await page.locator('.questions:not(.inert)').waitFor();
  for (const [width, height] of [
    [285, 218],
    [285, 200],
    [285, 300],
    [285, 405],
    [420, 500],
    [420, 900],
  ]) {
    await page.setViewportSize({ width, height });
    const size = `${width}x${height}`;
    const body = card.locator('.card-body');
    const more = card.locator('.more');
    if (!(await body.evaluate((element) => element.scrollHeight - element.clientHeight < 2))) {
      await more.waitFor(); // it says that there is more
      await shot(`question-${size}`);
      await body.focus();
      await page.keyboard.press('End');
      await more.waitFor({ state: 'hidden' });
    }
    await shot(`question-${size}-end`);
    for (const name of ['Allow', 'Reject']) {
      assert.ok(await inSight(card.getByRole('button', { name })), `${name} at ${size}`);
    }
    assert.ok(await inSight(input), `the prompt at ${size}`);
    const sees = await body.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element.querySelector('.message').firstChild);
      const rows = [...range.getClientRects()];
      return rows.at(-1).bottom <= element.getBoundingClientRect().bottom + 1;
    });
    assert.ok(sees, `the end of the command at ${size}`);
    await body.evaluate((element) => element.scrollTo(0, 0));
  }
  assert.deepEqual(await told('unseen'), []);

  // Where there is not even the room for the buttons, the host is told, once for each question.
  await page.setViewportSize({ width: 285, height: 60 });
  await page.waitForFunction(
    () => window.told.filter(({ type }) => type === 'unseen').length === 2,
  );
  await page.setViewportSize({ width: 285, height: 70 });
  await send({ type: 'questions', questions: [command, question, { ...question, id: 'q3' }] });
  await page.waitForFunction(() => window.told.filter(({ type }) => type === 'unseen').length > 2);
  assert.deepEqual(
    (await told('unseen')).map(({ question }) => question),
    ['long', 'q1', 'q3'],
  );
  await card.getByRole('button', { name: 'Allow' }).scrollIntoViewIfNeeded();
  assert.ok(await inSight(card.getByRole('button', { name: 'Allow' })), 'it can be scrolled to');
  await page.setViewportSize({ width: 420, height: 900 });
  await send({ type: 'questions', questions: [] });

  // Cards stay when another session is shown: they say which is of it, and open what they ask about,
  // though the entries of both sessions have the same ids.
  const elsewhere = { ...edit, id: 'q4', session: 's2' };
  const sessions = [session(), session({ session: 's2', title: 'Another' })];
  const isElsewhere = async (...ids) => {
    const cards = page.locator('.questions .card', { hasText: 'in another session' });
    const shown = cards.filter({ has: page.locator('.card-head .place:visible') });
    assert.deepEqual(await shown.evaluateAll((all) => all.map((one) => one.dataset.question)), ids);
  };
  await send(state({ sessions, questions: [elsewhere, edit] }));
  await page.locator('[data-question=q4]').waitFor();
  await isElsewhere('q4');
  await page.locator('[data-question=q4] .card-head .place').click();
  assert.deepEqual(await told('select'), [{ type: 'select', session: 's2' }]);
  await page.locator('[data-question=q4]').evaluate((element) => element.classList.add('kept'));
  await send({ type: 'current', session: 's2', entries, terminals: {} });
  await page.locator('.questions .card.kept:first-child').waitFor();
  await isElsewhere('q2');
  for (const id of ['q2', 'q4']) {
    await page
      .locator(`[data-question=${id}]`)
      .getByRole('button', { name: 'Side by side' })
      .click();
  }
  const inTranscript = page.locator('.entry').getByRole('button', { name: 'Side by side' });
  await page.locator('.entry', { hasText: 'Edit main.go' }).locator('summary').click();
  await inTranscript.click();
  assert.deepEqual(
    (await told('diff')).map(({ of }) => of),
    [{ question: 'q2' }, { question: 'q4' }, { session: 's2', entry: '5' }],
  );
  await send(state());
  await page.waitForFunction(() => document.querySelector('.questions .card') === null);

  // A form.
  const text = { id: 'n', prompt: 'Name', type: 'string', required: true };
  const pick = {
    id: 'c',
    prompt: 'Colour',
    type: 'string',
    options: [
      { id: 'r', label: 'Red' },
      { id: 'g', label: 'Green' },
    ],
  };
  const form = { id: 'f1', session: 's1', title: 'Details', questions: [text, pick], since: 0 };
  await send({ type: 'forms', forms: [form] });
  await page.getByLabel('Name').fill('x');
  await page.getByLabel('Green').check();
  await page.locator('.questions:not(.inert)').waitFor();
  await shot('form');
  await page.getByRole('button', { name: 'Submit' }).click();
  assert.deepEqual(await told('form'), [
    { type: 'form', form: 'f1', action: 'accept', answers: { n: 'x', c: ['g'] } },
  ]);
  await send({ type: 'forms', forms: [] });

  // Proposals, and sending.
  await input.pressSequentially('see @ma');
  let asked = (await told('complete')).at(-1);
  assert.deepEqual({ text: asked.text, offset: asked.offset }, { text: 'see @ma', offset: 7 });
  const item = {
    label: '@main.go',
    kind: 'file',
    detail: 'open',
    insertText: '@main.go',
    start: 4,
    end: 7,
  };
  // That there are no commands is said where they would be, and asked again when there may be some.
  await input.fill('');
  await input.pressSequentially('/');
  const slash = (await told('complete')).at(-1);
  const noneYet = page.locator('.proposals.hint');
  await send({ type: 'completions', request: slash.request, items: [], hint: 'They come later.' });
  await noneYet.getByText('They come later.').waitFor();
  await shot('hint');
  await send({ type: 'session', info: session() });
  await page.waitForFunction((n) => window.told.at(-1).request > n, slash.request);
  const anew = (await told('complete')).at(-1);
  const fix = { ...item, label: '/fix', kind: 'command', insertText: '/fix ', start: 0, end: 1 };
  await send({ type: 'completions', request: anew.request, items: [fix] });
  await page.getByRole('option', { name: '/fix' }).waitFor();
  assert.equal(await noneYet.isVisible(), false);
  await input.fill('');
  await input.pressSequentially('see @ma');
  asked = (await told('complete')).at(-1);

  const other = { ...item, label: '@make', insertText: '@make' };
  await send({ type: 'completions', request: asked.request, items: [item, other] });
  await page.getByRole('option', { name: '@make' }).waitFor();
  await shot('proposals');
  await input.press('ArrowDown');
  await input.press('Enter');
  assert.equal(await input.inputValue(), 'see @make ');
  await send({ type: 'attach', attachment: { uri: 'untitled:a', label: 'a:1-2' } });
  await page.getByText('a:1-2').waitFor();
  await send({
    type: 'session',
    info: session({ state: 'running', queue: [{ id: 'p', text: 'then this' }] }),
  });
  await page.getByRole('textbox', { name: 'Waiting prompt' }).waitFor();
  await shot('queue');
  const held = { key: 'Enter', repeat: true, bubbles: true };
  await input.evaluate((at, of) => at.dispatchEvent(new KeyboardEvent('keydown', of)), held);
  assert.deepEqual(await told('send'), [], 'Enter that is held sends');
  await input.press('Enter');
  const [sent] = await told('send');
  assert.equal(sent.text, 'see @make ');
  assert.equal(sent.when, 'queue');
  assert.deepEqual(sent.attachments, [{ uri: 'untitled:a', label: 'a:1-2' }]);
  await input.pressSequentially('more');
  await send({ type: 'sent', request: sent.request, error: 'It is not there.' });
  await page.getByText('It is not there.').waitFor();
  assert.equal(await input.inputValue(), 'see @make \nmore', 'the text is lost');
  await input.press('Control+Enter');
  assert.equal((await told('send'))[1].when, 'now');
  await send({ type: 'sent', request: (await told('send'))[1].request });

  // A prompt that was given up with its agent is in the input again, once; that the agent has ended
  // is said, and not that it is done.
  const spoken = page.locator('.spoken');
  const unsent = [{ id: 'u1', text: 'then that' }];
  const ended = { state: 'failed', error: 'agent demo has ended (ended by SIGKILL)' };
  await send({ type: 'session', info: session({ state: 'running' }) });
  await input.fill('typed');
  await send({ type: 'session', info: session({ ...ended, unsent }) });
  await spoken.filter({ hasText: 'agent demo has ended' }).waitFor({ state: 'attached' });
  await send({ type: 'session', info: session({ ...ended, unsent }) });
  await send(state({ sessions: [session({ ...ended, unsent })] }));
  assert.equal(await input.inputValue(), 'then that\ntyped');
  await input.fill('');

  // So is one that waited in a session that is closed, of which nothing is said to be done.
  const working = page.locator('.activity');
  await send({ type: 'session', info: session({ state: 'running', turn: 't1', stopping: true }) });
  await working.getByText('Stopping').waitFor();
  const given = [{ id: 'u2', text: 'that waited' }];
  await send({ type: 'session', info: session({ state: 'closed', unsent: given }) });
  await working.getByText('Closed: a prompt begins a new session').waitFor();
  assert.equal(await working.locator('.dot').count(), 0);
  assert.equal(await input.inputValue(), 'that waited');
  await input.fill('');

  // What only a restart of the agent ends offers it, in the place of what does nothing more.
  const stopButton = page.getByRole('button', { name: 'Stop the agent' });
  const deaf = { id: 'deaf', kind: 'notice', turn: 't1', text: 'demo goes on' };
  await send({ type: 'session', info: session({ state: 'running', turn: 't1' }) });
  await stopButton.waitFor();
  await send({ type: 'session', info: session({ state: 'running', turn: 't1', stopping: true }) });
  await stopButton.waitFor();
  await send({ type: 'entry', entry: { ...deaf, restart: 'demo' } });
  await stopButton.waitFor({ state: 'hidden' });
  await shot('deaf');
  await page.getByRole('button', { name: 'Restart demo' }).click();
  assert.deepEqual(await told('restartAgent'), [{ type: 'restartAgent', agent: 'demo' }]);
  await send({ type: 'entry', entry: deaf });
  await page.getByRole('button', { name: 'Restart demo' }).waitFor({ state: 'hidden' });
  await send({ type: 'session', info: session(ended) });

  // What has had the focus in the page does not take it from elsewhere when it is drawn anew.
  const two = {
    uri: 'file:///w/b.go',
    label: 'b.go',
    added: 1,
    removed: 0,
    hunks: 1,
    conflicts: 0,
  };
  await send({ type: 'files', files: [two] });
  const rejectsAll = page.getByRole('button', { name: 'Reject all changes', exact: true });
  await rejectsAll.focus();
  await send({ type: 'files', files: [{ ...two, added: 2 }] });
  assert.ok(await rejectsAll.evaluate((one) => one === document.activeElement));
  await page.evaluate(() => {
    document.hasFocus = () => false;
  });
  await send({ type: 'files', files: [{ ...two, added: 3 }] });
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.evaluate(() => Reflect.deleteProperty(document, 'hasFocus'));
  await send({ type: 'files', files: [] });

  // That there is no session is said in the chat.
  await send({ type: 'problem', problem: 'No session was started: so it is.' });
  const none = page.getByRole('alert').filter({ hasText: 'so it is' });
  await none.getByRole('button', { name: 'New session...' }).click();
  assert.deepEqual(await told('command'), [{ type: 'command', command: 'newSession' }]);
  await send({ type: 'problem', problem: null });
  await none.waitFor({ state: 'hidden' });
  await page.evaluate(() => {
    window.told = [];
  });

  // How a session has failed is said once: in the transcript if it has it, else above the prompt.
  const why = 'agent demo has ended (exit code 3).\nYour next prompt starts it again.';
  const alert = page.locator('.banner');
  await send({ type: 'session', info: session({ state: 'failed', error: why }) });
  await alert.getByText('Your next prompt').waitFor();
  await send({ type: 'entry', entry: { id: 'why', kind: 'error', text: why } });
  await alert.getByText('The session with demo has ended. The error above says why.').waitFor();
  await page.locator('.entry').getByText('Your next prompt starts it again').waitFor();
  assert.equal(await page.getByText('Your next prompt starts it again').count(), 1);

  // So is why a prompt came to nothing: it is in the input again.
  const problem = page.locator('.problem');
  for (const [error, shown] of [
    [why, false],
    ['It is not there.', true],
  ]) {
    await input.fill('to nobody');
    await input.press('Enter');
    await send({ type: 'sent', request: (await told('send')).at(-1).request, error });
    await page.waitForFunction(() => document.querySelector('textarea').value === 'to nobody');
    assert.equal(await problem.isVisible(), shown, error);
  }
  await input.fill('');
  await page.evaluate(() => {
    window.told = [];
  });

  // One that the user has stopped before it was ready is not said to have failed.
  const by = { state: 'failed', error: why, errorKind: 'stopped' };
  await send({ type: 'session', info: session(by) });
  await alert.getByText('You stopped demo before it was ready.').waitFor();
  assert.equal(await page.getByText('has failed').count(), 0);

  // What has failed offers a login only where that helps.
  const failed = { state: 'failed', error: 'It has failed.' };
  await send({ type: 'session', info: session({ ...failed, errorKind: 'agentFailed' }) });
  const trouble = page.getByRole('alert').filter({ hasText: 'It has failed.' });
  await trouble.getByRole('button', { name: 'New session' }).waitFor();
  assert.equal(await trouble.getByRole('button', { name: 'Log in' }).count(), 0);
  await send({ type: 'session', info: session(failed) }); // with acp-ls
  await trouble.getByRole('button', { name: 'New session' }).waitFor();
  assert.equal(await trouble.getByRole('button', { name: 'Log in' }).count(), 0);
  await send({ type: 'session', info: session({ ...failed, errorKind: 'authRequired' }) });
  await trouble.getByRole('button', { name: 'Log in' }).click();
  assert.deepEqual(await told('command'), [{ type: 'command', command: 'login' }]);
  await page.evaluate(() => {
    window.told = [];
  });

  await send({ type: 'server', server: { state: 'failed', message: 'acp-ls has died.' } });
  await page.getByRole('button', { name: 'Start again' }).click();
  assert.deepEqual(await told('command'), [{ type: 'command', command: 'restart' }]);
  await shot('failed');
  assert.deepEqual(problems, []);
  console.log('the chat page is as it should be');
  code = 0;
} finally {
  await browser.close();
}
process.exit(code);
