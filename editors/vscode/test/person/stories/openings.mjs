// What is typed right behind *ACP: Open Chat*, at many first openings: every letter is in the document
// or in the prompt, and none is nowhere. ACPLS_TEST_OPENINGS says how many.
import assert from 'node:assert/strict';

const before = 'a document\n';
const letters = 'abcdefghijklmnopqrstuvwxyzAB';
const openings = Number(process.env.ACPLS_TEST_OPENINGS ?? 40);

export const files = { 'open.txt': before };

export async function play(window, step) {
  const { page } = window;
  const shown = page.locator('.pane-header[aria-label^="Chat"]');

  const open = async () => {
    await window.openFile('open.txt');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(before);
    await window.textIs(before);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill('>ACP: Open Chat');
    await page.locator('.quick-input-list .focused', { hasText: 'ACP: Open Chat' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(letters, { delay: 30 });
    const input = (await window.theChat()).getByRole('combobox', { name: 'Prompt' });
    let now;
    const all = async () => {
      now = { editor: (await window.text()).slice(before.length), chat: await input.inputValue() };
      // VS Code may have kept what was typed at an opening before.
      const rest = letters.slice(now.editor.length);
      return letters === now.editor + rest && now.chat.endsWith(rest);
    };
    await window.until('all letters are there', all).catch((err) => {
      assert.fail(`${err.message}: ${JSON.stringify(now)}`);
    });
    await input.fill('');
    await page.keyboard.press('Control+Shift+e');
    await shown.waitFor({ state: 'hidden' }); // so that the chat is not loaded with the window
  };

  await step('the first time', open);
  for (let n = 2; n <= openings; n++) {
    await window.reopen();
    await step(`time ${n}`, open);
  }
}
