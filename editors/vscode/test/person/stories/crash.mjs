// The agent dies in the middle of a turn: it is said why, what it had changed can be decided on,
// and the next prompt works.
const before = 'one\ntwo\n';

export const files = { 'crash.txt': before };

export async function play(window, step) {
  let chat;

  await step('the agent dies', async () => {
    await window.openFile('crash.txt');
    await window.turn({ say: 'I am here.' });
    await window.prompt(
      JSON.stringify([{ write: 'crash.txt', text: 'one\n2\n' }, { say: 'half' }, { die: true }]),
    );
    chat = await window.theChat();
    await chat.locator('.entry.error', { hasText: 'the agent dies as it was told' }).waitFor();
    await chat.locator('.activity').waitFor({ state: 'hidden' });
    await chat.locator('.entry.agent', { hasText: 'half' }).waitFor();
  });

  await step('its change is there to be decided on', async () => {
    await window.hunksAre(1);
    await window.textIs('one\n2\n');
  });

  await step('the next prompt works', async () => {
    await window.turn({ read: 'crash.txt' }, { write: 'crash.txt', text: 'ONE\n2\n' });
    await chat.locator('.entry.agent', { hasText: 'I am here.' }).waitFor(); // the same session
    await chat.locator('.entry.notice', { hasText: 'does not remember' }).waitFor();
    await window.textIs('ONE\n2\n');
  });

  await step('reject all of it', async () => {
    await window.changed('crash.txt').hover();
    await window.changed('crash.txt').locator('[aria-label="Reject All Changes of File"]').click();
    await window.textIs(before);
    await window.diskIs('crash.txt', before);
    await window.noConflict();
  });
}
