// A file that an agent renames and changes, while it is open by its old name: it is rejected, and
// brought back with its changes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = before.replace('two', 'TWO').replace('six', 'SIX');

// Of two that are equal nobody could tell which one has which new name.
const other = before.replace('seven', 'eight');

export const files = { 'a.txt': before, 'p.txt': other };

export async function play(window, step) {
  const { page } = window;
  const isThere = (name) => fs.existsSync(path.join(window.project, name));
  const left = (n) => window.until(`${n} are left`, async () => (await window.undecided()) === n);

  await step('two are renamed, one is changed too', async () => {
    await window.openFile('a.txt');
    await window.turn(
      { run: 'mv a.txt b.txt' },
      { disk: 'b.txt', text: after },
      { run: 'mv p.txt q.txt' },
    );
    await left(4);
    await window.lens(/^rename to .*b\.txt$/).waitFor();
  });

  await step('lenses decide on one that has no other change', async () => {
    await window.goToFile('q.txt');
    await window.lens(/^rename from .*p\.txt$/).waitFor();
    await window.decide(/^Reject file$/);
    await left(3);
    await window.diskIs('p.txt', other);
    assert.ok(!isThere('q.txt'), 'it has both names');
  });

  await step('the other one is rejected', async () => {
    await window.goToFile('b.txt');
    await window.textIs(after);
    await window.command('ACP: Reject All Changes');
    await left(0);
    await window.diskIs('a.txt', before);
    assert.ok(!isThere('b.txt'), 'it has both names');
  });

  await step('and brought back, with its rows', async () => {
    await window.command('ACP: Bring Back Rejected Changes');
    await page.locator('.quick-input-list', { hasText: 'SIX' }).waitFor();
    await page.locator('.quick-input-list', { hasText: 'rename the file from a.txt' }).waitFor();
    await page.keyboard.press('Escape');
  });
}
