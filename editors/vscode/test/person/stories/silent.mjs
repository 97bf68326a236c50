// An agent that never answers when it is started, while an older session has failed: the chat shows
// the new one and says for how long it is waited for, it can be stopped, and what was sent meanwhile
// is in the input again. An agent that is killed is not said to be done.
import assert from 'node:assert/strict';

export const files = { 'a.txt': 'one\n' };

export async function play(window, step) {
  const { page } = window;
  let chat;
  let input;
  const spoken = (text) =>
    chat.locator('[role=status]', { hasText: text }).waitFor({ state: 'attached' });
  /** Chooses the agent of a new session. */
  const newSession = async (agent) => {
    await window.command('ACP: New Session...');
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: agent }).first();
    await row.click();
  };

  await step('the agent of a session dies', async () => {
    await window.openFile('a.txt');
    await window.turn({ say: 'I am here.' });
    chat = await window.theChat();
    input = chat.getByRole('combobox', { name: 'Prompt' });
    await spoken('Done. I am here.');
    await window.prompt(JSON.stringify([{ run: 'kill -9 $PPID' }]));
    const error = chat.locator('.entry.error', { hasText: 'agent script has ended' });
    await error.filter({ hasText: '. Your next prompt starts it again' }).waitFor();
    // It is said once, and below that what can be done.
    const banner = chat.getByRole('alert').filter({ hasText: 'The error above says why' });
    await banner.getByRole('button', { name: 'New session' }).waitFor();
    const said = chat.locator('.entry, .banner', { hasText: 'Your next prompt starts it again' });
    assert.equal(await said.count(), 1);
    await spoken('agent script has ended');
  });

  await step('one that never answers is in front, and is said not to', async () => {
    await newSession('deaf');
    await chat.locator('.activity', { hasText: 'deaf is being started' }).waitFor();
    await window.status.getByRole('button', { name: 'deaf is being started' }).waitFor();
    assert.equal(await chat.getByRole('alert').filter({ hasText: 'said above' }).count(), 0);
    await window.prompt('Are you there?');
    await chat.getByRole('textbox', { name: 'Waiting prompt' }).waitFor();
    const notice = chat.locator('.entry.notice', { hasText: /deaf has not answered for \d+s/ });
    await notice.filter({ hasText: 'stop the agent' }).waitFor();
  });

  await step('it is stopped: what was sent is in the input again', async () => {
    await window.command('ACP: Stop the Agent');
    await chat.locator('.entry.error', { hasText: 'you stopped deaf' }).waitFor();
    const banner = chat
      .getByRole('alert')
      .filter({ hasText: 'You stopped deaf before it was ready' });
    await banner.getByRole('button', { name: 'New session' }).waitFor();
    assert.equal(await chat.getByText('has failed').count(), 0);
    await window.until(
      'the text is back',
      async () => (await input.inputValue()) === 'Are you there?',
    );
    assert.equal(await page.locator('.notification-toast').count(), 0);
  });

  await step('another agent answers', async () => {
    await newSession('script');
    await chat.locator('.activity').waitFor({ state: 'hidden' });
    await input.press('Enter');
    await chat.locator('.entry.agent', { hasText: 'Are you there?' }).waitFor();
  });
}
