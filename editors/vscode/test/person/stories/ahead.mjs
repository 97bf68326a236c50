// A prompt typed ahead of the chat: whoever opens it and types on loses no letter. What comes before
// VS Code has heard of the command is the editor's, and all that comes behind that is the prompt's.
import assert from 'node:assert/strict';

const before = 'a document\n';

export const files = { 'ahead.txt': before };

export async function play(window, step) {
  const { page } = window;
  const prompt = async () => (await window.theChat()).getByRole('combobox', { name: 'Prompt' });

  /** Opens the chat by the palette, and types on at once. Returns how much was the editor's. */
  const typeOn = async (text, last = '') => {
    await window.editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill('>ACP: Open Chat');
    await page.locator('.quick-input-list .focused', { hasText: 'ACP: Open Chat' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(text, { delay: 30 });
    if (last !== '') {
      await page.keyboard.press(last);
    }
  };
  const inEditor = async () => (await window.text()).slice(before.length);
  /** Waits until all of a text is somewhere, in its order, with its end in the prompt. */
  const isWhole = async (text, inChat) => {
    let now;
    await window
      .until('all letters are there', async () => {
        now = { editor: await inEditor(), chat: await inChat() };
        return now.editor + now.chat === text;
      })
      .catch((err) => assert.fail(`${err.message}: ${JSON.stringify(now)}`));
    assert.notEqual(now.chat, '');
  };
  const clear = async () => {
    await (await prompt()).fill('');
    await window.editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(before);
    await window.textIs(before);
  };
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const typed = async () => (await prompt()).inputValue();

  await step('before it was ever shown', async () => {
    await window.openFile('ahead.txt');
    await typeOn(letters);
    await isWhole(letters, typed);
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await page.keyboard.type('!'); // the focus has stayed there
    await isWhole(`${letters}!`, typed);
    await clear();
  });

  await step('in sight', async () => {
    await typeOn(letters);
    await isWhole(letters, typed);
    await clear();
  });

  await step('behind another view', async () => {
    await page.keyboard.press('Control+Shift+e');
    await page.locator('.pane-header[aria-label^="Chat"]').waitFor({ state: 'hidden' });
    await typeOn(letters);
    await isWhole(letters, typed);
    await clear();
  });

  await step('and sent', async () => {
    await page.keyboard.press('Control+Shift+e');
    await page.locator('.pane-header[aria-label^="Chat"]').waitFor({ state: 'hidden' });
    await typeOn(letters, 'Enter');
    const said = async () =>
      (await (await window.theChat()).locator('.entry.user .text').allTextContents()).join('');
    await isWhole(letters, said);
  });
}
