// node test/person/run.mjs [PACKAGE] [--keep]: what a person sees and does, with the packaged
// extension (dist/acp-ls-linux-x64.vsix) in a real VS Code and the demonstration agent, without
// any setting. Pictures go to ACPLS_TEST_PICTURES. Exit code 0 if all went well.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openWorkbench, root, startVSCode } from '../vscode.mjs';

const args = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const pkg = path.resolve(args[0] ?? path.join(root, 'dist/acp-ls-linux-x64.vsix'));
const pictures = process.env.ACPLS_TEST_PICTURES;
const farewell = [
  'func Farewell(name string) string {',
  '\treturn "Goodbye, " + name + "!"',
  '}',
].join('\n');

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-person-'));
const project = path.join(home, 'greet');
fs.mkdirSync(project);
const archive = fs.readFileSync(path.join(root, 'tools/demo/project.txtar'), 'utf8');
for (const [, name, text] of archive.matchAll(/^-- (.+) --\n((?:(?!-- .+ --$).*\n)*)/gm)) {
  if (name !== 'guide' && !name.startsWith('unsaved/')) {
    fs.writeFileSync(path.join(project, name), text);
  }
}
const disk = () => fs.readFileSync(path.join(project, 'greet.go'), 'utf8');
const before = disk();

let code = 1;
let vscode;
let workbench;
let page;
const started = Date.now();

async function step(name, act) {
  await act();
  console.log(`ok   ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  if (pictures) {
    const file = `${name.replace(/\W+/g, '-')}.png`;
    await page.screenshot({ path: path.join(pictures, file) });
  }
}

/** The frame that the chat's page is in. */
async function theChat() {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    for (const frame of page.frames()) {
      if (
        (await frame
          .locator('#app .composer')
          .count()
          .catch(() => 0)) > 0
      ) {
        return frame;
      }
    }
    await page.waitForTimeout(100); // a frame that is replaced tells nobody
  }
  throw new Error('the chat is not there');
}

async function until(what, look) {
  for (const deadline = Date.now() + 30_000; ; ) {
    const found = await look();
    if (found) {
      return found;
    }
    assert.ok(Date.now() < deadline, `never: ${what}`);
    await page.waitForTimeout(50);
  }
}

try {
  vscode = await startVSCode({
    home,
    install: [pkg],
    settings: {
      'editor.autoIndent': 'none',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
    },
  });
  workbench = await openWorkbench(vscode.base, project);
  page = workbench.page;
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) {
      problems.push(`${message.location().url}: ${message.text()}`);
    }
  });
  await page.goto(workbench.url, { waitUntil: 'domcontentloaded' });
  const editor = page.locator('.editor-instance .view-lines').first();
  const lens = (title) => page.locator('.codelens-decoration a', { hasText: title });
  const lenses = () => lens(/^Accept$/).count();
  let chat;

  await step('type and do not save', async () => {
    await page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'greet.go' })
      .dblclick();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(`\n${farewell}\n`);
    await page.locator('.tab.dirty', { hasText: 'greet.go' }).waitFor();
  });

  await step('mention the selection', async () => {
    for (let line = 0; line < 3; line++) {
      await page.keyboard.press('Shift+ArrowUp');
    }
    // The key is bound once acp-ls runs.
    await page.locator('.statusbar-item', { hasText: 'ACP' }).first().waitFor();
    await page.keyboard.press('Control+Alt+a');
    chat = await theChat();
    const input = chat.getByRole('combobox', { name: 'Prompt' });
    await until('a mention', async () => /^@greet\.go#L20-L22 $/.test(await input.inputValue()));
    await until('focus', () => input.evaluate((element) => element === document.activeElement));
  });

  await step('the agent reads what is not saved', async () => {
    await page.keyboard.type('what does this do');
    await page.keyboard.press('Enter');
    await chat.locator('.entry.agent', { hasText: /lines 20-22.*1 return/ }).waitFor();
    await chat.locator('.activity').waitFor({ state: 'hidden' });
    assert.equal(disk(), before, 'it was saved');
  });

  await step('complete a mention', async () => {
    await page.keyboard.type('sort the imports and add doc comments in @gre');
    await chat.locator('.proposals li', { hasText: '@greet.go' }).first().waitFor();
  });

  const question = () => chat.locator('.questions .card').first();
  await step('a question', async () => {
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await question().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await chat.locator('.questions:not(.inert)').waitFor();
    assert.equal(await lenses(), 0, 'it was not waited for');
  });

  await step('answer by mouse', async () => {
    const activity = chat.locator('.activity');
    while (await activity.isVisible()) {
      const open = chat.locator('.questions:not(.inert) .card').first();
      await open.or(activity).first().waitFor();
      const id = await open.getAttribute('data-question', { timeout: 2000 }).catch(() => null);
      if (id !== null) {
        const card = chat.locator(`[data-question="${id}"]`);
        await card.getByRole('button', { name: 'Allow', exact: true }).click();
        await card.waitFor({ state: 'detached' });
      }
    }
    await until('changes to decide on', async () => (await lenses()) >= 2);
  });

  let hunks;
  await step('accept one by code lens', async () => {
    hunks = await lenses();
    await lens(/^Accept$/)
      .first()
      .click();
    await until('one less', async () => (await lenses()) === hunks - 1);
  });

  const text = async () =>
    (await page.locator('.editor-instance .view-line').allInnerTexts()).join('\n');
  await step('reject one by lightbulb', async () => {
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Alt+n');
    await page.locator('.statusbar-item', { hasText: /^Ln 6, Col 5/ }).waitFor();
    const bulb = page.locator('.lightBulbWidget, .codicon-gutter-lightbulb');
    const menu = page.locator('.action-widget', { hasText: 'Quick Fix' });
    await until('a light bulb for the change', async () => {
      await bulb.filter({ visible: true }).first().click();
      await menu.waitFor();
      if ((await menu.filter({ hasText: 'Reject hunk' }).count()) > 0) {
        return true;
      }
      // It was still that of the line before.
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowRight');
      return false;
    });
    if (pictures) {
      await page.screenshot({ path: path.join(pictures, 'lightbulb.png') });
    }
    await page
      .locator('.action-widget .monaco-list-row', { hasText: 'Reject hunk' })
      .first()
      .click();
    await until('two less', async () => (await lenses()) === hunks - 2);
  });

  await step('undo brings the rejected one back', async () => {
    const rejected = await text();
    await editor.click();
    await page.keyboard.press('Control+z');
    await until('back', async () => (await lenses()) === hunks - 1 && (await text()) !== rejected);
  });

  assert.match(await text(), /Farewell/, 'what was typed is gone');
  assert.deepEqual(problems, []);
  code = 0;
} catch (err) {
  console.error(err);
  if (pictures && page) {
    await page.screenshot({ path: path.join(pictures, 'failed.png') }).catch(() => undefined);
  }
} finally {
  await workbench?.close().catch(() => undefined);
  await vscode?.stop();
  if (process.argv.includes('--keep') || code !== 0) {
    console.error(`kept: ${home}`);
  } else {
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
process.exit(code);
