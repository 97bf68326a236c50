// The window is loaded anew in the middle of a review: the changes are there again, in a saved
// document as in one with unsaved text, and are decided on rightly. The conversation is offered, and
// goes on with a click or with the next prompt.
import assert from 'node:assert/strict';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';
const typed = (text) => text.replace('four', 'my four');

export const files = {
  'kept.txt': before,
  'draft.txt': before,
  '.vscode/settings.json': '{ "acpls.defaultAgent": "keeper" }', // one that can load sessions
};

export async function play(window, step) {
  const { page } = window;
  const first = 'Rewrite the first and the last line';
  const isBack = async (chat, ...said) => {
    for (const text of [first, ...said]) {
      await chat.locator('.entry.user', { hasText: text }).waitFor();
      await chat.locator('.entry.agent', { hasText: text }).waitFor(); // who says it back
    }
    await chat.locator('.activity').waitFor({ state: 'hidden' });
    assert.equal(await chat.locator('.entry.user', { hasText: first }).count(), 1);
    assert.equal(await chat.locator('.entry.notice').count(), 0);
  };

  await step('a first prompt', async () => {
    await window.openFile('kept.txt');
    await window.prompt(first);
    await isBack(await window.theChat());
  });

  await step('changes in a saved and in an unsaved document', async () => {
    await window.openFile('draft.txt');
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < 3; line++) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.type('my ');
    await window.tab('draft.txt', '.dirty').waitFor();
    await window.turn(
      { read: 'draft.txt' },
      { write: 'draft.txt', text: typed(after) },
      { write: 'kept.txt', text: after },
    );
    await window.hunksAre(2);
    await window.changed(/kept\.txt.*\+2 −2/).waitFor();
    await window.changed(/draft\.txt.*\+2 −2/).waitFor();
    // One of each is decided on before.
    await page.locator('.editor-instance').first().click();
    await window.decide(/^Accept$/);
    await window.hunksAre(1);
  });

  await step('the window is loaded anew', async () => {
    await window.backedUp(typed(after));
    await page.reload({ waitUntil: 'domcontentloaded' });
    await window.status.getByRole('button', { name: /3 changes to decide on/ }).waitFor();
    await window.openFile('draft.txt'); // VS Code does not always remember which was in front
    await window.hunksAre(1);
    await window.textIs(typed(after));
  });

  await step('reject in the unsaved document', async () => {
    await window.decide(/^Reject$/);
    await window.hunksAre(0);
    await window.textIs(typed(after.replace('SEVEN', 'seven')));
    await window.save();
    await window.diskIs('draft.txt', typed(after.replace('SEVEN', 'seven')));
  });

  await step('accept and reject in the saved one', async () => {
    await window.openFile('kept.txt');
    await window.hunksAre(2);
    await window.decide(/^Accept$/, 'last');
    await window.hunksAre(1);
    await window.decide(/^Reject$/);
    await window.hunksAre(0);
    await window.textIs(after.replace('ONE', 'one'));
    await window.diskIs('kept.txt', after.replace('ONE', 'one'));
    await window.noConflict();
  });

  await step('the conversation is offered', async () => {
    const chat = await window.chat();
    await chat.locator('.before', { hasText: first }).waitFor();
    assert.equal(await chat.locator('.entry').count(), 0, 'an agent was started unasked');
  });

  await step('the conversation goes on', async () => {
    const chat = await window.theChat();
    await chat.getByRole('button', { name: 'Continue' }).click();
    await isBack(chat);
    await window.prompt('Thank you');
    await isBack(chat, 'Thank you');
  });

  await step('loaded anew again, the next prompt continues the conversation', async () => {
    await page.reload({ waitUntil: 'domcontentloaded' });
    await window.started();
    const chat = await window.chat();
    await chat.locator('.before').waitFor();
    await window.prompt('And now?');
    await isBack(chat, 'Thank you', 'And now?');
  });
}
