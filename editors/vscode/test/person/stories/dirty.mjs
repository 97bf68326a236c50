// The agent writes the disk under unsaved text: what was typed is kept, the change is in the text
// too, and saving is no conflict, in front or behind.
import assert from 'node:assert/strict';

const before = 'one\ntwo\nthree\n';

export const files = {
  'front.txt': before,
  'behind.txt': before,
  'both.txt': before,
  'again.txt': before,
};

export async function play(window, step) {
  const { page } = window;
  const type = async (text) => {
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(text);
  };

  await step('unsaved text in three documents', async () => {
    for (const name of ['behind.txt', 'both.txt', 'front.txt']) {
      await window.openFile(name);
      await type('my ');
      await window.tab(name, '.dirty').waitFor();
    }
  });

  await step('the agent writes the disk under them', async () => {
    await window.turn(
      { disk: 'front.txt', text: 'one\ntwo\n3\n' },
      { disk: 'behind.txt', text: 'one\ntwo\n33\n' },
      { disk: 'both.txt', text: 'ONE\ntwo\nthree\n' }, // the line that was typed in
    );
    await window.textIs('my one\ntwo\n3\n');
    await window.hunksAre(1);
    await window.tab('front.txt', '.dirty').waitFor();
    assert.equal(window.disk('front.txt'), 'one\ntwo\n3\n', 'it was saved for the user');
  });

  await step('the one in front is saved', async () => {
    // A key can come to nothing while the workbench is busy.
    await window.until('it is saved', async () => {
      await window.editor.click();
      await window.save();
      const saved = () => window.disk('front.txt') === 'my one\ntwo\n3\n';
      return window.until('this time', saved, 5000).catch(() => false);
    });
    await window.tab('front.txt', ':not(.dirty)').waitFor();
    await window.noConflict();
  });

  await step('reject in it', async () => {
    await window.decide(/^Reject$/);
    await window.textIs('my one\ntwo\nthree\n');
    await window.diskIs('front.txt', 'my one\ntwo\nthree\n');
  });

  await step('the one behind it is saved from behind', async () => {
    await window.command('File: Save All');
    await window.diskIs('behind.txt', 'my one\ntwo\n33\n');
    await window.tab('behind.txt', ':not(.dirty)').waitFor();
    await window.noConflict();
    await window.tab('behind.txt').click();
    await window.textIs('my one\ntwo\n33\n');
    await window.hunksAre(1);
  });

  await step('the same line changed by both', async () => {
    await window.tab('both.txt').click();
    await window.textIs('my one\ntwo\nthree\n');
    await window.lens('Take theirs').waitFor();
  });

  await step('the window is opened again: saving is no conflict still', async () => {
    await window.openFile('again.txt');
    await type('my ');
    await window.turn({ disk: 'again.txt', text: 'one\ntwo\n3 of the agent\n' });
    const merged = 'my one\ntwo\n3 of the agent\n';
    await window.textIs(merged);
    await window.backedUp(merged);
    await window.reopen();
    await window.openFile('again.txt');
    await window.textIs(merged);
    await window.tab('again.txt', '.dirty').waitFor();
    await window.editor.click();
    await window.save();
    await window.diskIs('again.txt', merged);
    await window.tab('again.txt', ':not(.dirty)').waitFor();
    await window.noConflict();
  });
}
