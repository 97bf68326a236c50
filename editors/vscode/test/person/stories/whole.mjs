// Files that are decided on as a whole, by keys: those that are gone, and those that are no text.
// After each decision the focus is where one goes on.
import assert from 'node:assert/strict';
import { focused } from '../focus.mjs';

const before = 'one\ntwo\n';
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const data = Buffer.from([0, 255, 1, 0, 3]);

export const files = {
  'a.txt': before,
  'b.txt': before,
  'c.txt': before,
  'd.bin': data,
  'e.bin': data,
  'f.png': picture,
  'g.txt': before,
};

export async function play(window, step) {
  const { page } = window;
  const press = (key) => page.keyboard.press(key);

  /** Waits until the focus is in a part of the window, on something whose name has `name` in it. */
  const focusIs = async (where, name = '') => {
    let last;
    const look = async () => {
      last = await focused(page);
      return last.place === where && last.name.includes(name);
    };
    await window
      .until(`the focus is on ${where} ${name}`, look, 15_000)
      .catch((err) => assert.fail(`${err.message}: it is on ${JSON.stringify(last)}`));
  };
  const goesTo = async (name) => {
    await press('Control+Alt+n');
    await window.tab(name, '.active').waitFor();
  };
  const left = (n) =>
    window.until(`${n} are left`, async () => (await window.undecided()) === n, 15_000);

  await step('a turn changes files that no line shows', async () => {
    await window.openFile('a.txt');
    await window.turn(
      { write: 'a.txt', text: 'ONE\ntwo\n' },
      { remove: 'b.txt' },
      { remove: 'c.txt' },
      { disk: 'd.bin', text: 'AAECAwQFBgc=', encoding: 'base64' },
      { disk: 'e.bin', text: 'AAECAwQFBgc=', encoding: 'base64' },
      { disk: 'f.png', text: 'iVBORw0KGgoAAQ==', encoding: 'base64' },
      { remove: 'g.txt' },
    );
    await left(7);
    await window.editor.click();
    await press('Control+Home');
    await page.locator('.statusbar-item', { hasText: 'Ln 1' }).waitFor();
  });

  await step('one that is gone, where it is shown', async () => {
    await goesTo('b.txt');
    await focusIs('editor', 'b.txt');
    await press('Control+Alt+Enter');
    await left(6);
    await window.tab('b.txt').waitFor({ state: 'detached' });
    await focusIs('editor', 'a.txt');
  });

  await step('one that is gone, in the tree', async () => {
    await window.changed('c.txt').click();
    await window.tab('c.txt', '.active').waitFor();
    await window.command('ACP: Focus on Changes View');
    await focusIs('list');
    await window.changed('c.txt').hover();
    await window.changed('c.txt').locator('[aria-label="Reject All Changes of File"]').click();
    await left(5);
    await window.tab('c.txt').waitFor({ state: 'detached' });
    await window.diskIs('c.txt', before);
    await focusIs('list');
  });
}
