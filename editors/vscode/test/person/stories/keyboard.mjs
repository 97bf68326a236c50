// All of a review without a mouse. After each step the focus is where one goes on, and what has
// it has a name that a screen reader can say.
import assert from 'node:assert/strict';
import { focused } from '../focus.mjs';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

export const files = { 'keys.txt': before, 'more.txt': before };

export async function play(window, step) {
  const { page } = window;
  const press = (key) => page.keyboard.press(key);
  let chat;

  /** Waits until the focus is where `is` says; what has it must have a name (but for what is VS Code's own). */
  const focusIs = async (what, is, named = true) => {
    let last;
    const look = async () => {
      last = await focused(page);
      return is(last);
    };
    await window
      .until(`the focus is on ${what}`, look, 15_000)
      .catch((err) => assert.fail(`${err.message}: it is on ${JSON.stringify(last)}`));
    assert.ok(!named || last.name || last.chosen?.name, `it has no name: ${JSON.stringify(last)}`);
    return last;
  };
  const onPrompt = () =>
    focusIs('the prompt', ({ place, role }) => place === 'chat' && role === 'combobox');
  const inEditor = (file) =>
    focusIs(`the text of ${file}`, ({ place, name }) => place === 'editor' && name.includes(file));
  const onRow = (text) =>
    focusIs(`the row ${text}`, ({ place, chosen }) => place === 'list' && text.test(chosen?.name));
  const cursorAt = (place) => page.locator('.statusbar-item', { hasText: place }).waitFor();

  /** Runs a command from the palette by keys. */
  const command = async (title) => {
    await press('F1');
    await focusIs('the palette', ({ place }) => place === 'prompt');
    await page.keyboard.insertText(title);
    const shown = ({ place, chosen }) => place === 'prompt' && chosen?.name.startsWith(title);
    await focusIs(title, shown);
    await press('Enter');
  };
  /** Goes on with a key until the focus is on something of a name; all before must have one. */
  const walk = async (key, to) => {
    const passed = [];
    while (passed.length < 30) {
      await press(key);
      const at = await focused(page);
      passed.push(`${at.role} ${at.name}`);
      assert.ok(at.name, `after ${passed.join(', ')} comes what has no name: ${at.place}`);
      if (to.test(at.name)) {
        return passed;
      }
    }
    return assert.fail(`never: ${to} among ${passed.join(', ')}`);
  };

  await step('open a file and the chat', async () => {
    await window.goToFile('keys.txt');
    await inEditor('keys.txt');
    await command('ACP: Open Chat');
    chat = await window.theChat();
    await onPrompt();
  });

  await step('a question leaves the focus where it is', async () => {
    const steps = [
      { ask: 'Remove build', command: 'rm -r build' },
      { write: 'keys.txt', text: after },
      { write: 'more.txt', text: after },
      { say: 'I have `changed` **two** files:\n\n```\nONE\n```\n' },
    ];
    await page.keyboard.insertText(JSON.stringify(steps));
    await press('Enter');
    await chat.locator('.questions .card', { hasText: 'rm -r build' }).waitFor();
    await onPrompt();
    const spoken = chat.locator('[aria-live=polite]', { hasText: 'rm -r build' });
    await spoken.waitFor({ state: 'attached' });
    await chat.locator('.questions:not(.inert)').waitFor();
  });

  await step('go to the question from the editor', async () => {
    await window.goToFile('keys.txt');
    await inEditor('keys.txt');
    await command('ACP: Show Open Questions');
    await focusIs('the question', ({ place, name }) => place === 'chat' && /asks/.test(name));
    await press('Enter');
    await press('Escape');
    assert.equal(await chat.locator('.entry.agent').count(), 0, 'a key has answered');
  });

  await step('answer it', async () => {
    await walk('Tab', /^Allow$/);
    await press('Enter');
    await onPrompt();
    const spoken = chat.locator('[aria-live=polite]', { hasText: /changed.*two/ });
    await spoken.waitFor({ state: 'attached' });
    await chat.locator('.activity').waitFor({ state: 'hidden' });
  });

  await step('all of the chat can be reached', async () => {
    const passed = (await walk('Shift+Tab', /^Session$/)).join(', ');
    for (const name of ['Review', 'Reject all changes', 'Code', 'Conversation']) {
      assert.ok(passed.includes(name), `${name} is not among ${passed}`);
    }
    // It is drawn anew with each decision that follows, and must not take the focus from the text.
    await walk('Tab', /^Reject all changes$/);
  });

  await step('next and previous change', async () => {
    await press('Control+Alt+n');
    await inEditor('keys.txt');
    await cursorAt('Ln 7, Col 1'); // it was in the first one
    await press('Control+Alt+p');
    await cursorAt('Ln 1, Col 1');
    await inEditor('keys.txt');
  });

  await step('accept one', async () => {
    await press('Control+Alt+Enter');
    await window.hunksAre(1);
    await inEditor('keys.txt');
  });

  await step('reject one', async () => {
    await press('Control+Alt+n');
    await cursorAt('Ln 7, Col 1');
    await press('Control+Alt+Backspace');
    await window.textIs(after.replace('SEVEN', 'seven'));
    await window.hunksAre(0);
    await inEditor('keys.txt');
  });

  await step('undo the decision', async () => {
    await press('Control+z');
    await window.textIs(after);
    await window.hunksAre(1);
    await inEditor('keys.txt');
  });

  await step('bring back the only one that is rejected', async () => {
    await press('Control+Alt+Backspace');
    await window.hunksAre(0);
    await command('ACP: Bring Back Rejected Changes');
    await page.locator('.quick-input-list', { hasText: 'SEVEN' }).waitFor();
    await focusIs('the list', ({ place }) => place === 'prompt', false);
    await press('Enter');
    await window.textIs(after);
    await window.hunksAre(1);
    await inEditor('keys.txt');
  });

  await step('the tree of changes', async () => {
    await command('ACP: Focus on Changes View');
    await focusIs('the tree', ({ place }) => place === 'list');
    await press('Home');
    await onRow(/^keys\.txt, 1 change, /);
    await press('ArrowDown');
    await onRow(/^more\.txt, 2 changes, /);
    await press('ArrowRight');
    await page.getByRole('treeitem', { name: /^line 7/ }).waitFor();
    await press('ArrowDown');
    await press('ArrowDown');
    await onRow(/^line 7, changed: SEVEN/);
    await press('Enter');
    await window.tab('more.txt', '.active').waitFor();
    await cursorAt('Ln 7, Col 1');
    await inEditor('more.txt');
  });

  await step('all changes side by side', async () => {
    await command('ACP: Review All Changes Side by Side');
    await page.locator('.multiDiffEntry').first().waitFor();
    await focusIs('the changes', ({ place }) => place === 'changes', false);
  });

  await step('back to the editor', async () => {
    await window.goToFile('keys.txt');
    await inEditor('keys.txt');
  });

  await step('accept a file in the tree', async () => {
    await command('ACP: Focus on Changes View');
    await press('End');
    await onRow(/^line 7/);
    await press('Home');
    await onRow(/^keys/);
    await press('Shift+F10');
    await focusIs('the menu', ({ role }) => role === 'menu', false);
    await walk('ArrowDown', /^Accept All Changes of File/);
    await press('Enter');
    await window.hunksAre(0);
    await focusIs('the tree', ({ place }) => place === 'list');
    await press('Home');
    await onRow(/^more/);
  });

  await step('reject what is left of a turn', async () => {
    await command('ACP: Reject Changes of a Turn');
    await page.locator('.quick-input-list', { hasText: '2 changes' }).waitFor();
    await focusIs('the list', ({ place }) => place === 'prompt', false);
    await press('Enter');
    await window.until('nothing is left', async () => (await window.undecided()) === 0);
    await window.diskIs('more.txt', before);
    await window.diskIs('keys.txt', after);
  });

  await step('bring back the one of several that the keys have gone to', async () => {
    await command('ACP: Bring Back Rejected Changes');
    await page.locator('.quick-input-list', { hasText: 'SEVEN' }).waitFor();
    await press('ArrowDown');
    await focusIs('the first', ({ place, chosen }) => place === 'prompt' && chosen);
    await press('Enter');
    await window.until('one is back', async () => (await window.undecided()) === 1);
  });

  await step(
    'all that is shown side by side is decided on: the editor before has the focus',
    async () => {
      await window.goToFile('keys.txt');
      await command('ACP: Review All Changes Side by Side');
      await page.locator('.multiDiffEntry').first().waitFor();
      await focusIs('the changes', ({ place }) => place === 'changes', false);
      await command('ACP: Accept All Changes');
      await page.locator('.tab', { hasText: 'Changes by agents' }).waitFor({ state: 'hidden' });
      await inEditor('keys.txt');
    },
  );
}
