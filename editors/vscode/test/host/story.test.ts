import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, fileOf, open, prompt, read, theApp, type, until, write } from './lib';

const archive = path.resolve(__dirname, '../../../../testdata/review.txtar');

/** The story that is played in every editor (editors/testdata), which says what its words mean. */
class Story {
  private readonly sections = new Map<string, string>();
  private readonly script: string[];
  private readonly names = new Set<string>();
  private steps: object[] = [];

  constructor(
    private readonly app: App,
    private readonly session: string,
  ) {
    const [script = '', ...rest] = fs.readFileSync(archive, 'utf8').split(/^-- (.+) --\n/m);
    this.script = script.split('\n').filter((line) => /^[^#]/.test(line));
    for (let i = 0; i + 1 < rest.length; i += 2) {
      this.sections.set(rest[i] as string, rest[i + 1] as string);
    }
  }

  async play(): Promise<void> {
    for (const [name, text] of this.sections) {
      if (!name.includes('/')) {
        this.names.add(name);
        await write(name, text);
      }
    }
    for (const line of this.script) {
      const [what = '', ...words] = line.trim().split(' ');
      if (what !== 'agent') {
        await this.turn();
      }
      await this.act(what, words).catch((err) => {
        throw new Error(`at '${line}': ${err.message}`);
      });
    }
    await this.turn();
    for (const name of this.names) {
      const want = this.sections.get(`after/${name}`);
      const now = () =>
        fs.existsSync(fileOf(name)) ? fs.readFileSync(fileOf(name), 'utf8') : undefined;
      await until(name, () => now() === want).catch(() => assert.equal(now(), want, name));
    }
  }

  private async act(what: string, words: string[]): Promise<void> {
    const [first = '', second = ''] = words;
    const document = vscode.window.activeTextEditor?.document;
    switch (what) {
      case 'open':
        await open(first);
        return;
      case 'type':
        return type(Number(first) - 1, 0, second);
      case 'agent':
        this.names.add(second);
        this.steps.push({
          [first]: second,
          ...(words[2] && { text: this.section('agent', words[2]) }),
        });
        return;
      case 'hunks':
        await until(`${first} hunks`, () => this.app.review.counts().hunks === Number(first));
        return;
      case 'accept':
      case 'reject': {
        const at = new vscode.Position(Number(first) - 1, 0);
        (vscode.window.activeTextEditor as vscode.TextEditor).selection = new vscode.Selection(
          at,
          at,
        );
        await vscode.commands.executeCommand(`acpls.${what}Hunk`);
        return;
      }
      case 'reject-file':
        await vscode.commands.executeCommand('acpls.rejectFile');
        return;
      case 'undo':
      case 'redo':
        await vscode.commands.executeCommand(what);
        return;
      case 'save':
        assert.ok(document);
        assert.equal(await document.save(), true);
        return;
      case 'text':
        await until(`text is ${first}`, () => document?.getText() === this.section('text', first));
        return;
      default:
        throw new Error(`there is no word '${what}'`);
    }
  }

  private section(kind: string, name: string): string {
    const text = this.sections.get(`${kind}/${name}`);
    assert.ok(text !== undefined, `there is no section ${kind}/${name}`);
    return text;
  }

  /** Plays the turn that was told, if there is one. */
  private async turn(): Promise<void> {
    if (this.steps.length > 0) {
      await prompt(this.app, this.session, this.steps.splice(0));
    }
  }
}

suite('story', () => {
  test('ends with the files that it says', async () => {
    const app = await theApp();
    await new Story(app, await anew(app)).play();
    assert.match(await read('plan.txt'), /mine_three/);
  });
});
