// *Save As*: what is undecided in a text is undecided in the file it was saved as; in the first
// one it stays if it was saved there.
const before = 'one\ntwo\nthree\n';
const after = 'one\n2\nthree\n';

export const files = { 'dirty.txt': before, 'clean.txt': before, 'there.txt': 'else\n' };

export async function play(window, step) {
  const { page } = window;
  const saveAs = async (name) => {
    await window.editor.click();
    await window.command('File: Save As...');
    const dialog = page.locator('.quick-input-widget', { hasText: 'Save As' });
    await dialog.locator('.monaco-list-row').first().waitFor(); // it has looked into the folder
    const input = dialog.locator('input[type=text]').first();
    // It puts in the name that the document has, which would replace the one that is typed.
    await window.until('the dialog has a name', async () =>
      (await input.inputValue()).endsWith('.txt'),
    );
    const there = window.disk(name) !== undefined; // before it is saved
    const next = there ? page.getByText(`${name} already exists`) : window.tab(name, '.active');
    await window.until('the dialog takes the name', async () => {
      await input.fill(`${window.project}/${name}`);
      await input.press('Enter'); // which comes to nothing while it looks into the folder
      return next.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    if (there) {
      await page.keyboard.press('Enter');
    }
    await window.tab(name, '.active').waitFor();
  };

  await step('unsaved text with a change', async () => {
    await window.openFile('dirty.txt');
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('my ');
    await window.turn({ read: 'dirty.txt' }, { write: 'dirty.txt', text: `my ${after}` });
    await window.hunksAre(1);
  });

  await step('it is saved as a new file, and rejected there', async () => {
    await saveAs('new.txt');
    await window.hunksAre(1);
    await window.changed('new.txt').waitFor();
    await window.changed('dirty.txt').waitFor({ state: 'detached' });
    await window.decide(/^Reject$/);
    await window.diskIs('new.txt', `my ${before}`);
    await window.diskIs('dirty.txt', before);
  });

  await step('a saved change is saved as a file that there is', async () => {
    await window.openFile('clean.txt');
    await window.turn({ write: 'clean.txt', text: after });
    await window.hunksAre(1);
    await saveAs('there.txt');
    await window.hunksAre(1);
    await window.changed('there.txt').waitFor();
    await window.changed('clean.txt').waitFor();
  });

  await step('it is undecided in both', async () => {
    await window.decide(/^Reject$/);
    await window.diskIs('there.txt', before);
    await window.diskIs('clean.txt', after);
    await window.openFile('clean.txt');
    await window.hunksAre(1);
    await window.noConflict();
  });
}
