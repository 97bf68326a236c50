// The first turn of somebody who has just installed the extension: text that is not saved is
// mentioned, read, edited and decided on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../vscode.mjs';

export const project = 'greet';
export const files = Object.fromEntries(
  [
    ...fs
      .readFileSync(path.join(root, 'tools/demo/project.txtar'), 'utf8')
      .matchAll(/^-- (.+) --\n((?:(?!-- .+ --$).*\n)*)/gm),
  ]
    .map(([, name, text]) => [name, text])
    .filter(([name]) => name !== 'guide' && !name.startsWith('unsaved/')),
);

const farewell = [
  'func Farewell(name string) string {',
  '\treturn "Goodbye, " + name + "!"',
  '}',
].join('\n');

export async function play(window, step) {
  const { page, editor } = window;
  const lenses = () => window.lens(/^Accept$/).count();
  let chat;

  await step('type and do not save', async () => {
    await page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'greet.go' })
      .dblclick();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(`\n${farewell}\n`);
    await window.tab('greet.go', '.dirty').waitFor();
  });

  await step('add the selection', async () => {
    for (let line = 0; line < 3; line++) {
      await page.keyboard.press('Shift+ArrowUp');
    }
    await page.keyboard.press('Control+Alt+a');
    chat = await window.theChat();
    const input = chat.getByRole('combobox', { name: 'Prompt' });
    await chat.locator('.attachment', { hasText: 'greet.go:20-22' }).waitFor();
    await window.until('focus', () =>
      input.evaluate((element) => element === document.activeElement),
    );
  });

  await step('the agent reads what is not saved', async () => {
    await page.keyboard.type('what does this do');
    await page.keyboard.press('Enter');
    await chat.locator('.entry.agent', { hasText: /lines 20-22.*1 return/ }).waitFor();
    await chat.locator('.activity').waitFor({ state: 'hidden' });
    assert.equal(window.disk('greet.go'), files['greet.go'], 'it was saved');
  });

  await step('complete a mention', async () => {
    await page.keyboard.type('sort the imports and add doc comments in @gre');
    await chat.locator('.proposals li', { hasText: '@greet.go' }).first().waitFor();
  });

  await step('a question', async () => {
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await chat.locator('.questions .card').first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await chat.locator('.questions:not(.inert)').waitFor();
    assert.equal(await lenses(), 0, 'it was not waited for');
  });

  await step('answer by mouse', async () => {
    const allow = chat
      .locator('.questions:not(.inert) .card')
      .first()
      .getByRole('button', { name: 'Allow', exact: true });
    await window.until('the turn has ended', async () => {
      if (await allow.isVisible()) {
        await allow.click({ timeout: 2000 }).catch(() => undefined); // it may be the next one by then
      }
      return chat.locator('.activity').isHidden();
    });
    await window.until('all changes have lenses', async () => {
      const all = await window.undecided();
      return all >= 2 && (await lenses()) === all;
    });
  });

  let hunks;
  await step('accept one by code lens', async () => {
    hunks = await lenses();
    await window.decide(/^Accept$/);
    await window.hunksAre(hunks - 1);
  });

  await step('reject one by lightbulb', async () => {
    const toTheChange = async () => {
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Control+Alt+n');
      await page.locator('.statusbar-item', { hasText: /^Ln 6, Col 5/ }).waitFor();
    };
    await editor.click();
    await toTheChange();
    const bulb = page.locator('.lightBulbWidget, .codicon-gutter-lightbulb');
    const menu = page.locator('.action-widget', { hasText: 'Quick Fix' });
    await window.until('a light bulb for the change', async () => {
      await bulb.filter({ visible: true }).first().click();
      await menu.waitFor();
      if ((await menu.filter({ hasText: 'Reject hunk' }).count()) > 0) {
        return true;
      }
      // It was still that of the line before.
      await page.keyboard.press('Escape');
      await toTheChange();
      return false;
    });
    await window.picture('lightbulb');
    await page
      .locator('.action-widget .monaco-list-row', { hasText: 'Reject hunk' })
      .first()
      .click();
    await window.hunksAre(hunks - 2);
  });

  await step('undo brings the rejected one back', async () => {
    const rejected = await window.text();
    await editor.click();
    await page.keyboard.press('Control+z');
    await window.hunksAre(hunks - 1);
    assert.notEqual(await window.text(), rejected);
  });

  assert.match(await window.text(), /Farewell/, 'what was typed is gone');
}
