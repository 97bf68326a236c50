// A question while the chat is hidden: a notification that no keystroke answers, and that can be
// put off without answering; the status item leads back to it. In a low window the chat shows all
// of a question; where it cannot, it is a notification too.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const before = 'one\ntwo\n';

export const files = { 'notes.txt': before, 'other.txt': before };

export async function play(window, step) {
  const { page } = window;
  const toast = window.notification('rm -r build');
  const answers = async (n) => {
    const chat = await window.theChat();
    return chat.locator('.entry.agent', { hasText: 'answer:' }).nth(n - 1);
  };
  /** Has the agent ask as soon as the chat is hidden. */
  const askBehind = async (name) => {
    const go = path.join(window.project, name);
    await window.prompt(
      JSON.stringify([{ until: name }, { ask: 'Remove build', command: 'rm -r build' }]),
    );
    await (await window.theChat()).locator('.activity').waitFor();
    await page.keyboard.press('Control+Shift+e');
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await window.openFile('notes.txt');
    fs.writeFileSync(go, '');
    await toast.waitFor();
  };

  await step('a notification while the chat is hidden', async () => {
    await window.openFile('notes.txt');
    await askBehind('first');
    await toast.locator('.monaco-button', { hasText: 'Allow' }).waitFor();
  });

  await step('no keystroke answers it', async () => {
    await page.keyboard.press('Control+End');
    await page.keyboard.type('y ');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await window.textIs(`${before}y \n `);
    await toast.waitFor();
  });

  await step('answer it by mouse', async () => {
    // It takes no answer in its first half second, and is shown again then.
    const allow = toast.locator('.monaco-button', { hasText: 'Allow' });
    const answered = window.status.getByRole('button', { name: /^ACP agents/ });
    await window.until('it is answered', async () => {
      await allow.click({ timeout: 1000 }).catch(() => undefined);
      return answered.isVisible();
    });
    await window.chat();
    await (await answers(1)).filter({ hasText: 'answer: yes' }).waitFor();
  });

  await step('put it off', async () => {
    await askBehind('second');
    await toast.hover();
    await toast.locator('.codicon-notifications-clear').click();
    await toast.waitFor({ state: 'detached' });
    await window.status.getByRole('button', { name: '1 question to answer' }).waitFor();
  });

  await step('the status item leads back to it', async () => {
    await window.status.getByRole('button', { name: '1 question to answer' }).click();
    const chat = await window.theChat();
    const card = chat.locator('.questions:not(.inert) .card', { hasText: 'rm -r build' });
    await card.waitFor();
    assert.equal(await chat.locator('.entry.agent', { hasText: 'answer:' }).count(), 1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: 'Reject' }).click();
    await (await answers(2)).filter({ hasText: 'answer: no' }).waitFor();
    await window.status.getByRole('button', { name: /^ACP agents/ }).waitFor();
  });

  const size = page.viewportSize();
  const command = `rm -r build && make ${'x'.repeat(200)} END`;
  const ask = { ask: 'Build it anew', command };
  const card = async () => {
    const chat = await window.theChat();
    return chat.locator('.questions:not(.inert) .card', { hasText: 'rm -r build' });
  };
  /** Clicks a button where it is on the screen, without having it scrolled there. */
  const clickOn = async (button) => {
    const box = await button.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  };

  for (const [nth, height] of [
    [3, 500],
    [4, 800],
  ]) {
    await step(`read and answer a long command in a window of ${height} pixels`, async () => {
      await window.turn({ write: 'other.txt', text: `${nth}\n` });
      await page.setViewportSize({ width: 720, height });
      await window.prompt(JSON.stringify([ask]));
      const body = (await card()).locator('.card-body');
      await body.waitFor();
      await window.picture(`low-${height}`);
      if (await (await card()).locator('.more').isVisible()) {
        await body.focus();
        await page.keyboard.press('End');
        await (await card()).locator('.more').waitFor({ state: 'hidden' });
      }
      await window.picture(`low-${height}-end`);
      assert.equal(await window.notification('rm -r build').count(), 0);
      await clickOn((await card()).getByRole('button', { name: 'Reject' }));
      await (await answers(nth)).filter({ hasText: 'answer: no' }).waitFor();
      await page.setViewportSize(size);
    });
  }

  await step('a notification where the chat has no room for it', async () => {
    await window.chat();
    await page.setViewportSize({ width: 720, height: 200 });
    await (await window.theChat()).getByRole('combobox', { name: 'Prompt' }).focus();
    await window.prompt(JSON.stringify([{ ask: 'Remove build', command: 'rm -r build' }]));
    await toast.waitFor();
    await page.setViewportSize(size);
    await (await card()).getByRole('button', { name: 'Reject' }).click();
    await (await answers(5)).filter({ hasText: 'answer: no' }).waitFor();
  });
}
