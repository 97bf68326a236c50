// A folder that is not trusted: no program is started, the view says what to do, and once the
// folder is trusted everything works, without the window being loaded anew.
import assert from 'node:assert/strict';

const before = 'one\ntwo\n';

export const trust = true;
export const files = {
  'odd.txt': before,
  '.vscode/settings.json': '{ "acpls.defaultAgent": "keeper" }',
};

export async function play(window, step) {
  const { page } = window;

  await step('nothing is started', async () => {
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    const icon = page.locator('a[aria-label^="ACP"]');
    await page.locator('.activitybar .action-item', { has: icon }).click();
    await page.getByText('In Restricted Mode none is started.').waitFor();
    await window.openFile('odd.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('my ');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').fill('>ACP: ');
    const rows = page.locator('.quick-input-list .monaco-list-row', { hasText: 'ACP: ' });
    await rows.first().waitFor();
    assert.deepEqual(await rows.allTextContents(), ['ACP: Focus on Restricted Mode View']);
    await page.keyboard.press('Escape');
    assert.deepEqual(window.servers(), []);
    assert.equal(await window.status.count(), 0);
  });

  await step('it is trusted', async () => {
    await page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    const trusting = page.getByRole('button', { name: /^Trust/ }).filter({ visible: true });
    await trusting.first().click();
    await window.started();
    await page.getByText('In Restricted Mode none is started.').waitFor({ state: 'hidden' });
  });

  await step('everything works', async () => {
    const modal = page.locator('.monaco-modal-editor-block');
    await modal.locator('[aria-label^="Close"]').first().click();
    await modal.waitFor({ state: 'hidden' });
    await window.editor.click();
    await window.turn({ read: 'odd.txt' }, { write: 'odd.txt', text: 'my one\n2\n' });
    await window.hunksAre(1);
    await window.decide(/^Reject$/);
    await window.textIs('my one\ntwo\n');
    assert.equal(window.disk('odd.txt'), before);
  });
}
