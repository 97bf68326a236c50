// A turn that changes several files, decided on in one go: the tree of changed files, all changes
// side by side, next and previous through the files, one file accepted and one rejected.
import assert from 'node:assert/strict';

const cart = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', ''];
const lines = (all) => all.join('\n');
const changed = lines(cart.with(0, 'ONE').with(8, 'NINE'));
const prices = lines(['1', '2', '3', '4', '']);
const dearer = lines(['1', '22', '222', '3', '4', '']);
const made = 'It is new.\n';

export const project = 'shop';
export const files = { 'cart.txt': lines(cart), 'prices.txt': prices, 'tool.txt': 'run\n' };

export async function play(window, step) {
  const { page } = window;
  const at = async (file, line) => {
    await window.tab(file, '.active').waitFor();
    await page.locator('.statusbar-item', { hasText: `Ln ${line}, Col 1` }).waitFor();
  };

  await step('one turn changes three files', async () => {
    await window.openFile('cart.txt');
    await window.turn(
      { write: 'cart.txt', text: changed },
      { disk: 'prices.txt', text: dearer },
      { write: 'new.txt', text: made },
    );
    await window.hunksAre(2);
    await window.changed(/cart\.txt.*\+2 −2/).waitFor();
    await window.changed(/prices\.txt.*\+2 −1/).waitFor();
    await window.changed(/new\.txt.*new, \+1 −0/).waitFor();
    assert.equal(await window.changed('').count(), 3);
  });

  await step('a file is made executable', async () => {
    await window.turn({ run: 'chmod +x tool.txt' });
    await window.changed(/tool\.txt.*executable now/).waitFor();
    assert.equal(await window.changed(/\+0 −0/).count(), 0);
    const chat = await window.theChat();
    await chat.locator('.files li', { hasText: 'executable now' }).waitFor({ state: 'attached' });
    assert.equal(await chat.locator('.files .stat', { hasText: '+0' }).count(), 0);
    await window.changed('tool.txt').hover();
    await window.changed('tool.txt').locator('[aria-label="Reject All Changes of File"]').click();
    await window.changed('tool.txt').waitFor({ state: 'detached' });
  });

  await step('all side by side', async () => {
    await (await window.chat()).getByRole('button', { name: 'Review' }).click();
    await page.locator('.tab.active', { hasText: 'Changes by agents' }).waitFor();
    for (const name of ['cart.txt', 'new.txt', 'prices.txt']) {
      await page.locator('.multiDiffEntry', { hasText: name }).first().waitFor();
    }
  });

  await step('next and previous through the files', async () => {
    await window.tab('cart.txt').click();
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Alt+n');
    await at('cart.txt', 9);
    await page.keyboard.press('Control+Alt+n');
    await at('new.txt', 1);
    await page.keyboard.press('Control+Alt+n');
    await at('prices.txt', 2);
    await page.keyboard.press('Control+Alt+n'); // round
    await at('cart.txt', 1);
    await page.keyboard.press('Control+Alt+p');
    await at('prices.txt', 2);
  });

  await step('accept one file', async () => {
    const row = window.changed('cart.txt');
    await row.hover();
    await row.locator('[aria-label="Accept All Changes of File"]').click();
    await row.waitFor({ state: 'detached' });
    await window.diskIs('cart.txt', changed);
  });

  await step('reject another', async () => {
    const row = window.changed('prices.txt');
    await row.hover();
    await row.locator('[aria-label="Reject All Changes of File"]').click();
    await row.waitFor({ state: 'detached' });
    await window.textIs(prices);
    await window.diskIs('prices.txt', prices);
  });

  await step('reject the new one', async () => {
    await window.changed('new.txt').hover();
    await window.changed('new.txt').locator('[aria-label="Reject All Changes of File"]').click();
    await window.until('it is gone', () => window.disk('new.txt') === undefined);
    await page.locator('.pane-header[aria-label^="Changes"]').waitFor({ state: 'hidden' });
    await page.locator('.tab', { hasText: 'Changes by agents' }).waitFor({ state: 'detached' });
    await window.noConflict();
    assert.equal(window.disk('cart.txt'), changed);
  });
}
