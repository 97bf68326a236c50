// A workspace of several folders: the agent works in all of them, also in one that is added, and
// all that it writes there is to be decided on.
import assert from 'node:assert/strict';

const text = 'one\ntwo\nthree\n';

export const project = 'several';
export const folders = ['client', 'server'];
export const files = {
  'client/a.txt': text,
  'server/b.txt': text,
  'docs/d.txt': text,
};

export async function play(window, step) {
  const changed = text.replace('two', 'TWO');

  await step('the agent works in all folders, unasked', async () => {
    await window.openFile('b.txt');
    await window.turn(
      { read: '../client/a.txt' },
      { write: 'b.txt', text: changed },
      { write: '../client/a.txt', text: changed },
      { disk: '../client/made.txt', text: 'made\n' },
    );
    await window.hunksAre(1);
    await window.changed(/a\.txt.*client.*\+1 −1/).waitFor();
    await window.changed(/b\.txt.*server.*\+1 −1/).waitFor();
    await window.changed(/made\.txt.*client.*new, \+1 −0/).waitFor();
    assert.equal(await (await window.chat()).locator('.entry.permission').count(), 0);
  });

  await step('files of another folder are named with @', async () => {
    const chat = await window.chat();
    const input = chat.getByRole('combobox', { name: 'Prompt' });
    await input.fill('see @made');
    await input.press('End');
    await input.pressSequentially('.t');
    await chat.getByRole('option', { name: '@../client/made.txt' }).waitFor();
    await input.fill('');
  });

  await step('a file that is added to a prompt is named so that it can be no other', async () => {
    await window.openFile('a.txt');
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.press('Control+Alt+a');
    const input = (await window.theChat()).getByRole('combobox', { name: 'Prompt' });
    const mention = /^@"?\/.*\/client\/a\.txt"? $/;
    await window.until('a mention', async () => mention.test(await input.inputValue()));
    await input.fill('');
  });

  await step('a folder that is added counts from the next prompt on', async () => {
    const { page } = window;
    window.openFolders([...folders, 'docs']);
    await page.keyboard.press('Control+Shift+E');
    await page.locator('.explorer-folders-view .monaco-list-row[aria-label^="docs"]').waitFor();
    await window.openFile('d.txt');
    await window.turn({ read: '../docs/d.txt' }, { disk: '../docs/d.txt', text: changed });
    await window.hunksAre(1);
    await window.changed(/d\.txt.*docs.*\+1 −1/).waitFor();
  });

  await step('all of it can be rejected', async () => {
    await window.command('ACP: Reject All Changes');
    await window.until('nothing is left', async () => (await window.undecided()) === 0);
    for (const name of Object.keys(files)) {
      await window.diskIs(name, text);
    }
    await window.diskIs('client/made.txt', undefined);
  });
}
