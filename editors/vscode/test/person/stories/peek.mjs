// What was there before, again and again in a folder without git: also when all was decided in
// between, and VS Code has had nothing to compare with meanwhile.
const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const texts = ['TWO', 'zwei', 'deux'].map((word) => before.replace('two', word));

export const files = { 'peek.txt': before };

export async function play(window, step) {
  const { page } = window;
  const shown = page.locator('.editor-instance .peekview-widget');

  const look = async () => {
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+Alt+d');
    await shown.waitFor();
  };
  const close = async () => {
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'hidden' });
  };

  await step('the first time', async () => {
    await window.openFile('peek.txt');
    await window.turn({ write: 'peek.txt', text: texts[0] });
    await window.hunksAre(1);
    await look();
    await close();
    await look(); // and once more
    await close();
  });

  await step('all is decided, and there is another change', async () => {
    await window.decide(/^Accept$/);
    await window.hunksAre(0);
    await window.turn({ write: 'peek.txt', text: texts[1] });
    await window.hunksAre(1);
    await look();
    await close();
  });

  await step('all is decided while it is shown', async () => {
    await look();
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill('>ACP: Reject All Changes');
    await page.keyboard.press('Enter');
    await window.hunksAre(0);
    await window.turn({ write: 'peek.txt', text: texts[2] });
    await window.hunksAre(1);
    await look();
    await close();
  });

  await step(
    'what decides is still there when there is nothing to decide on, and says so',
    async () => {
      await window.command('ACP: Reject All Changes');
      await window.hunksAre(0);
      for (const title of [
        'ACP: Accept All Changes',
        'ACP: Reject All Changes',
        'ACP: Accept Changes of a Turn...',
        'ACP: Reject Changes of a Turn...',
        'ACP: Accept All Changes of File',
        'ACP: Reject All Changes of File',
        'ACP: Review All Changes Side by Side',
      ]) {
        await page.keyboard.press('F1');
        await page.locator('.quick-input-widget input').fill(`>${title}`);
        const first = page.locator('.quick-input-list .monaco-list-row.focused');
        await first.filter({ hasText: title }).waitFor();
        await page.keyboard.press('Enter');
        const said = page.locator('.notification-toast', {
          hasText: 'There are no changes to decide on.',
        });
        await said.waitFor();
        await said.hover();
        await said.locator('.codicon-notifications-clear').click();
        await said.waitFor({ state: 'hidden' });
      }
      await window.textIs(texts[0]);
    },
  );
}
