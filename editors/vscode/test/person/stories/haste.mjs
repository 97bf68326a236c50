// Keys in haste: a decision is about the change that the key before it has gone to, in this file or
// in another that has had none before the user; and a key that is pressed twice decides once.
import assert from 'node:assert/strict';

const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
const changed = (...numbers) =>
  numbers.reduce((text, n) => text.replace(`line ${n}\n`, `agent ${n}\nand ${n}\n`), before);

export const files = { 'a.txt': 'nothing is changed here\n', 'b.txt': before, 'c.txt': before };

export async function play(window, step) {
  const { page } = window;
  const press = async (...keys) => {
    for (const key of keys) {
      await page.keyboard.press(`Control+Alt+${key}`); // at once, whatever comes of it
    }
  };

  await step('changes in two files', async () => {
    await window.openFile('a.txt');
    await window.turn(
      { write: 'b.txt', text: changed(3, 6, 9, 12) },
      { write: 'c.txt', text: changed(15) },
    );
    await window.changed('c.txt').waitFor();
    await window.editor.click();
  });

  await step('next, reject, next, accept twice, next, reject', async () => {
    await press('n', 'Backspace', 'n', 'Enter', 'Enter', 'n', 'Backspace');
    await window.textIs(changed(6, 12));
    await window.hunksAre(1);
    assert.deepEqual(await page.locator('.notification-toast').allInnerTexts(), []);
  });

  await step('next, reject, next, reject: the last one is in the other file', async () => {
    await press('n', 'Backspace', 'n', 'Backspace');
    await window.tab('c.txt').waitFor();
    await window.diskIs('c.txt', before);
    await window.diskIs('b.txt', changed(6));
    await window.hunksAre(0);
    assert.deepEqual(await page.locator('.notification-toast').allInnerTexts(), []);
  });

  await step('next, where there is none: it is said, and is no other key', async () => {
    const tabs = await page.locator('.tab').count();
    await press('n');
    await window.notification('There are no changes to decide on').waitFor();
    assert.equal(await page.locator('.tab').count(), tabs);
  });
}
