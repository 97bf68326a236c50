// Undo and redo after decisions: a change that was rejected is undecided again, one that was
// accepted stays accepted, and nothing that was typed is lost.
const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n';

export const files = { 'undo.txt': before };

export async function play(window, step) {
  const { page } = window;
  const undo = () => page.keyboard.press('Control+z');
  const redo = () => page.keyboard.press('Control+Shift+z');
  const typed = (text) => text.replace('four', 'my_four');

  await step('two changes, and something typed', async () => {
    await window.openFile('undo.txt');
    await window.turn({ write: 'undo.txt', text: after });
    await window.hunksAre(2);
    await window.editor.click();
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < 3; line++) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.type('my_');
    await window.textIs(typed(after));
  });

  await step('reject, undo, redo, undo', async () => {
    await page.keyboard.press('Control+Alt+n');
    await page.locator('.statusbar-item', { hasText: 'Ln 7, Col 1' }).waitFor();
    await page.keyboard.press('Control+Alt+Backspace');
    await window.hunksAre(1);
    await window.textIs(typed(after.replace('SEVEN', 'seven')));
    await undo();
    await window.textIs(typed(after));
    await window.hunksAre(2);
    await redo();
    await window.textIs(typed(after.replace('SEVEN', 'seven')));
    await window.hunksAre(1);
    await undo();
    await window.textIs(typed(after));
    await window.hunksAre(2);
  });

  await step('accept one', async () => {
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Alt+Enter');
    await window.hunksAre(1);
    await window.textIs(typed(after));
  });

  await step('undo what was typed and what the agent wrote', async () => {
    await undo();
    await window.textIs(after);
    await window.hunksAre(1);
    await undo();
    await window.textIs(before);
  });

  await step('redo brings back the one that is undecided', async () => {
    await redo();
    await window.textIs(after);
    await window.hunksAre(1);
    await redo();
    await window.textIs(typed(after));
    await window.hunksAre(1);
  });

  await step('save', async () => {
    await window.save();
    await window.diskIs('undo.txt', typed(after));
    await window.noConflict();
  });
}
