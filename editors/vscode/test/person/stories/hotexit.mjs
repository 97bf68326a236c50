// The window is closed with unsaved text and undecided changes, in front and behind, and opened
// again later: every key and every change is there, and is counted once. Then acp-ls is killed. And the
// window is closed before VS Code has kept a text into which what an agent wrote on disk was merged.
import assert from 'node:assert/strict';

const lines = (all) => `${all.join('\n')}\n`;
const before = lines(Array.from({ length: 9 }, (_, i) => `line ${i + 1}`));
const changed = (text, ...numbers) =>
  numbers.reduce((t, n) => t.replace(`line ${n}\n`, `agent ${n}\n`), text);
const typed = (text) => text.replace('line 2\n', 'my line 2\n');

export const files = {
  'draft.txt': before,
  'kept.txt': before,
  'shut.txt': before,
  'late.txt': before,
};

export async function play(window, step) {
  const { page } = window;
  const earlier = () => window.notification(/of an earlier run/);
  const draft = changed(typed(before), 4, 6, 8);

  await step('unsaved text and six changes', async () => {
    await window.openFile('kept.txt');
    await window.openFile('draft.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('my ');
    await window.tab('draft.txt', '.dirty').waitFor();
    await window.turn(
      { read: 'draft.txt' },
      { write: 'draft.txt', text: draft },
      { write: 'kept.txt', text: changed(before, 3, 7) },
      { write: 'shut.txt', text: changed(before, 5) },
    );
    await window.hunksAre(3);
    await window.until('there are six', async () => (await window.undecided()) === 6);
  });

  await step('closed and opened again', async () => {
    await window.backedUp(draft);
    await window.reopen();
    await window.status.getByRole('button', { name: /6 changes to decide on/ }).waitFor();
    await window.openFile('draft.txt');
    await window.hunksAre(3);
    await window.textIs(draft);
    await window.tab('draft.txt', '.dirty').waitFor();
    await earlier().waitFor();
  });

  await step('acp-ls is killed', async () => {
    await window.kill();
    await window.status.getByRole('button', { name: /6 changes to decide on/ }).waitFor();
    await window.textIs(draft);
  });

  await step('rejected', async () => {
    await window.command('ACP: Reject All Changes');
    await window.until('nothing is left', async () => (await window.undecided()) === 0);
    await window.textIs(typed(before));
    await window.diskIs('kept.txt', before);
    await window.diskIs('shut.txt', before);
    await window.save();
    await window.diskIs('draft.txt', typed(before));
    await window.noConflict();
  });

  await step('what was said of it', async () => {
    await window.command('Notifications: Show Notifications');
    const said = page.locator('.notifications-center .notification-list-item-message');
    await said.first().waitFor();
    const counts = (await said.allTextContents()).filter((text) => /earlier run/.test(text));
    assert.deepEqual([...new Set(counts)], ['6 changes of an earlier run wait in 3 files']);
  });

  await step('opened again with an older text', async () => {
    await window.openFile('late.txt');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('my ');
    const older = await window.backedUp(typed(before));
    await window.turn({ disk: 'late.txt', text: changed(before, 5) });
    await window.textIs(changed(typed(before), 5));
    await window.reopen(older);
    await window.textIs(changed(typed(before), 5));
    await window.tab('late.txt', '.dirty').waitFor();
    await window.hunksAre(1);
    await window.command('ACP: Reject All Changes');
    await window.textIs(typed(before));
    await window.save();
    await window.diskIs('late.txt', typed(before));
    await window.noConflict();
  });
}
