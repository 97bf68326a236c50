// The agent writes the disk under a document without unsaved text: it shows the new text, with
// the changes to decide on, and neither typing nor saving is a conflict.
const before = 'one\ntwo\nthree\n';

export const files = { 'clean.txt': before, 'behind.txt': before };

export async function play(window, step) {
  const { page } = window;

  await step('the agent writes the disk', async () => {
    await window.openFile('behind.txt');
    await window.openFile('clean.txt');
    await window.turn(
      { disk: 'clean.txt', text: 'one\ntwo\n3\n' },
      { disk: 'behind.txt', text: '1\ntwo\nthree\n' },
    );
    await window.textIs('one\ntwo\n3\n');
    await window.hunksAre(1);
    await window.tab('clean.txt', ':not(.dirty)').waitFor();
  });

  await step('type and save', async () => {
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('my ');
    await window.textIs('my one\ntwo\n3\n');
    await window.save();
    await window.diskIs('clean.txt', 'my one\ntwo\n3\n');
    await window.tab('clean.txt', ':not(.dirty)').waitFor();
    await window.hunksAre(1);
  });

  await step('reject', async () => {
    await window.decide(/^Reject$/);
    await window.textIs('my one\ntwo\nthree\n');
    await window.diskIs('clean.txt', 'my one\ntwo\nthree\n');
  });

  await step('the one behind it', async () => {
    await window.tab('behind.txt').click();
    await window.textIs('1\ntwo\nthree\n');
    await window.hunksAre(1);
    await window.editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('mine');
    await window.save();
    await window.diskIs('behind.txt', '1\ntwo\nthree\nmine');
    await window.noConflict();
  });
}
