// One window of VS Code with a project of its own, as a person sees and uses it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { workbenchUrl } from '../vscode.mjs';

/** How long anything may take that is waited for: much, since the machine may be busy. */
const patience = 60_000;

/** How long one waits before one tries again what has come to nothing. */
const impatience = 5000;

const control = /Content Security Policy|Refused to/;

export class Window {
  /** What the page's console said that must not be said. */
  problems = [];
  turns = 0;

  /**
   * Opens a window.
   * @param {import('playwright-core').BrowserContext} context
   * @param {object} options
   * @param {string} options.base where VS Code is
   * @param {string} options.home what its server was started with
   * @param {string} options.project the folder that is opened; made here
   * @param {Record<string, string>} options.files what is in it
   * @param {string[]} [options.folders] if it is a workspace of several folders in there
   * @param {string} [options.pictures] a folder
   * @param {boolean} [options.trusted] whether acp-ls is started in it at once (default)
   */
  static async open(context, { base, home, project, files, folders, pictures, trusted = true }) {
    fs.mkdirSync(project, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
      fs.writeFileSync(path.join(project, name), text);
    }
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on('dialog', (dialog) => dialog.accept().catch(() => undefined)); // "Leave this site?"
    const window = new Window(page, home, project, pictures);
    page.on('console', (message) => {
      if (control.test(message.text())) {
        window.problems.push(`${message.location().url}: ${message.text()}`);
      }
    });
    const opened = folders === undefined ? project : window.openFolders(folders);
    await page.goto(workbenchUrl(base, opened), { waitUntil: 'domcontentloaded' });
    if (trusted) {
      await window.started();
    }
    return window;
  }

  constructor(page, home, project, pictures) {
    this.page = page;
    this.home = home;
    this.project = project;
    this.pictures = pictures;
  }

  /** Makes these the folders of the workspace, as one that edits its file; returns that. */
  openFolders(folders) {
    const file = path.join(this.project, 'all.code-workspace');
    fs.writeFileSync(file, JSON.stringify({ folders: folders.map((name) => ({ path: name })) }));
    return file;
  }

  /** Ends what runs for the window, and closes it. */
  async close() {
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** Waits until acp-ls runs. */
  async started() {
    await this.status.getByRole('button', { name: /^ACP agents/ }).waitFor();
  }

  /** The processes of acp-ls that run for the window's folder. */
  servers() {
    const is = (pid) => {
      try {
        const [program = ''] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return (
          path.basename(program) === 'acp-ls' &&
          fs.readlinkSync(`/proc/${pid}/cwd`) === this.project
        );
      } catch {
        return false; // it has ended
      }
    };
    return fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && is(name))
      .map(Number);
  }

  /** Closes the window, and opens it again when what ran for it has ended, and `meanwhile` is done. */
  async reopen(meanwhile = () => {}) {
    const url = this.page.url();
    await this.page.goto('about:blank');
    await this.until('acp-ls has ended', () => this.servers().length === 0);
    meanwhile();
    await this.page.goto(url, { waitUntil: 'domcontentloaded' });
    await this.started();
  }

  /** Kills acp-ls, and waits until another runs. */
  async kill() {
    const killed = this.servers();
    assert.ok(killed.length > 0);
    for (const pid of killed) {
      process.kill(pid, 'SIGKILL');
    }
    await this.until('another runs', () => this.servers().some((pid) => !killed.includes(pid)));
    await this.started();
  }

  async picture(name) {
    if (this.pictures) {
      const file = `${path.basename(this.project)}-${name.replace(/\W+/g, '-')}.png`;
      await this.page.screenshot({ path: path.join(this.pictures, file) });
    }
  }

  /** What a file holds on disk; undefined if there is none. */
  disk(name) {
    try {
      return fs.readFileSync(path.join(this.project, name), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Waits until `look` gives something, and returns that. */
  async until(what, look, ms = patience) {
    for (const deadline = Date.now() + ms; ; ) {
      const found = await look();
      if (found) {
        return found;
      }
      assert.ok(Date.now() < deadline, `never: ${what}`);
      await this.page.waitForTimeout(50); // most of it tells nobody when it changes
    }
  }

  /** Waits until a file on disk holds `text`. */
  async diskIs(name, text) {
    await this.until(`${name} is as it should be`, () => this.disk(name) === text).catch(() =>
      assert.equal(this.disk(name), text),
    );
  }

  /**
   * Waits until VS Code keeps an unsaved text for when it is loaded anew: it takes a second or so. Returns what
   * has it keep that one, and none that came later, if it is called while the window is closed.
   */
  async backedUp(text) {
    const folder = path.join(this.home, 'vscode/User/Backups');
    const holds = (file) =>
      file.isFile() && this.#isIn(path.join(file.parentPath, file.name), text);
    const found = await this.until('the unsaved text is kept', () => {
      const there = fs.existsSync(folder);
      return there && fs.readdirSync(folder, { recursive: true, withFileTypes: true }).find(holds);
    });
    const file = path.join(found.parentPath, found.name);
    const bytes = fs.readFileSync(file);
    return () => fs.writeFileSync(file, bytes);
  }

  #isIn(file, text) {
    try {
      return fs.readFileSync(file, 'utf8').endsWith(text);
    } catch {
      return false; // it is gone
    }
  }

  // The workbench.

  /** The status item; its button is called as its tooltip. */
  get status() {
    return this.page.locator('.statusbar-item[id$="acpls.status"]');
  }

  /** The text of the editor in front. */
  get editor() {
    return this.page.locator('.editor-instance .view-lines').first();
  }

  /** The tab of a file, in a state such as `.dirty`. */
  tab(name, state = '') {
    return this.page.locator(`.tab[data-resource-name="${name}"]${state}`);
  }

  /** What the editor in front shows; it must fit on the screen. */
  async text() {
    const lines = this.page.locator('.editor-instance .view-line');
    const shown = await lines.evaluateAll((all) =>
      all
        .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text),
    );
    return shown.join('\n').replaceAll('\u00a0', ' ').replaceAll('\u00b7', ' ');
  }

  /** Waits until the editor in front shows, without what is drawn behind its lines, `text`. */
  async textIs(text) {
    await this.until('the text is as it should be', async () => (await this.text()) === text).catch(
      async () => assert.equal(await this.text(), text),
    );
  }

  /** Opens a file by name, and puts the cursor into it. */
  async openFile(name) {
    await this.goToFile(name);
    await this.editor.click();
  }

  /** Opens a file by name, by keys alone. */
  async goToFile(name) {
    const { page } = this;
    const input = page.locator('.quick-input-widget input');
    const found = page.locator(`.quick-input-list .focused[aria-label^="${name}"]`);
    // A search that began before VS Code knew of its folders finds nothing, and is not done again.
    for (let tries = 1; ; tries++) {
      await page.keyboard.press('Control+p');
      await input.fill(name);
      try {
        await found.waitFor({ timeout: 15000 });
        break;
      } catch (error) {
        if (tries === 4) {
          throw error;
        }
        await page.keyboard.press('Escape');
      }
    }
    await page.keyboard.press('Enter');
    await this.tab(name, '.active').waitFor();
  }

  /** Runs a command from the palette. */
  async command(title) {
    const { page } = this;
    const found = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    // A list that was made before a command could be given does not get it any more.
    for (let tries = 1; ; tries++) {
      await page.keyboard.press('F1');
      await page.locator('.quick-input-widget input').fill(`>${title}`);
      try {
        await found.click({ timeout: 15000 });
        return;
      } catch (error) {
        if (tries === 4) {
          throw error;
        }
        await page.keyboard.press('Escape');
      }
    }
  }

  /**
   * The code lenses of a title in the editor in front, those too that VS Code shows from before
   * while it asks for new ones: they do nothing, and stay if the editor loses the focus then.
   */
  lens(title) {
    return this.page.locator('.codelens-decoration > *', { hasText: title });
  }

  /** How many changes there are to decide on, in all files. */
  async undecided() {
    const label = await this.status.getByRole('button').first().getAttribute('aria-label');
    return Number(/(\d+) changes? to decide on/.exec(label)?.[1] ?? 0);
  }

  /**
   * Decides with the `first` or `last` code lens of a title, and waits until that is so. A click
   * that has come to nothing, as on one that was just drawn anew, is done again as long as
   * nothing has changed.
   */
  async decide(title, which = 'first') {
    const lenses = this.lens(title);
    const [undecided, shown] = [await this.undecided(), await lenses.count()];
    const done = async () => (await this.undecided()) !== undecided;
    await this.until(`${title} has decided`, async () => {
      if ((await lenses.count()) === shown && !(await done())) {
        await lenses[which]()
          .click({ timeout: impatience })
          .catch(() => undefined);
      }
      await this.until('it has come to something', done, impatience).catch(() => undefined);
      return done();
    });
  }

  /** Waits until there are so many hunks to decide on in the editor in front. */
  async hunksAre(n) {
    const lenses = this.lens(/^Accept$/);
    await this.until(`there are ${n} changes`, async () => (await lenses.count()) === n);
  }

  notification(text) {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  /** Asserts that nothing is said of a save that did not succeed. */
  async noConflict() {
    const said = await this.notification(/newer|Failed to save|overwrit/i).allTextContents();
    const own = /overwriting it loses nothing/; // what acp-ls says of a document with unsaved text
    assert.deepEqual(
      said.filter((text) => !own.test(text)),
      [],
    );
  }

  async save() {
    await this.page.keyboard.press('Control+s');
  }

  /** A row of the view *Changes*. */
  changed(text) {
    return this.page.locator('.pane', { hasText: 'Changes' }).locator('.monaco-list-row', {
      hasText: text,
    });
  }

  // The chat.

  /** Shows the chat, and returns the frame its page is in. */
  async chat() {
    const view = this.page.locator('.pane-header[aria-label^="Chat"]');
    const icon = this.page.locator('a[aria-label^="ACP"]');
    // A click on the icon of what is shown hides it, and a window that is loaded anew may be about
    // to show it by itself.
    await this.until('the view is there', async () => {
      if ((await view.count()) === 0) {
        await this.page.locator('.activitybar .action-item', { has: icon }).click();
        const shown = view.first().waitFor({ timeout: impatience });
        await shown.catch(() => undefined);
      }
      return (await view.count()) > 0;
    });
    return this.theChat();
  }

  async theChat() {
    return this.until('the chat is there', async () => {
      for (const frame of this.page.frames()) {
        const there = frame.locator('#app .composer').count();
        if ((await there.catch(() => 0)) > 0) {
          return frame;
        }
      }
      return undefined;
    });
  }

  /** Sends a prompt. */
  async prompt(text) {
    const input = (await this.chat()).getByRole('combobox', { name: 'Prompt' });
    await input.fill(text);
    await input.press('Enter');
    await this.until('it is sent', async () => (await input.inputValue()) === '');
  }

  /** Has the agent of tests (test/agent.mjs) do steps, and waits until the turn has ended. */
  async turn(...steps) {
    const end = `That was turn ${++this.turns}.`;
    await this.prompt(JSON.stringify([...steps, { say: end }]));
    const chat = await this.theChat();
    await chat.locator('.entry.agent', { hasText: end }).waitFor();
    await chat.locator('.activity').waitFor({ state: 'hidden' });
  }
}
