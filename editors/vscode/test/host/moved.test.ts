import * as assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { anew, fileOf, open, prompt, read, theApp, type, until } from './lib';

/** The tabs of files whose names begin so, by these: * if unsaved, ! in front. */
const tabsOf = (name: string): string =>
  vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ label }) => label.startsWith(name))
    .map(({ label, isDirty, isActive }) => label + (isDirty ? '*' : '') + (isActive ? '!' : ''))
    .join();

suite('moved', () => {
  let app: App;
  let session = '';
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(async () => {
    session = await anew(app, session);
  });

  for (const [kind, typed, saved, behind] of [
    ['that is saved', false, true, false],
    ['with unsaved text', true, false, false],
    ['with text that was saved', true, true, false],
    ['behind another one', false, true, true],
    ['with unsaved text behind another one', true, false, true],
  ] as const) {
    test(`the tab of a rejected rename follows the file: one ${kind}`, async () => {
      const name = `${kind.replaceAll(' ', '-')}.`;
      const tabsAre = (want: string): Promise<unknown> =>
        until(`tabs are ${want}`, () => tabsOf(name) === want).catch(() =>
          assert.equal(tabsOf(name), want),
        );
      const [old, now, other] = [`${name}old.txt`, `${name}now.txt`, `${name}other.txt`];
      await open(other, 'other\n');
      await open(old, 'one\ntwo\nthree\n');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await prompt(app, session, [{ run: `mv ${old} ${now}` }]);
      const document = await open(now);
      if (typed) {
        await type(2, 0, 'my ');
      }
      if (typed && saved) {
        await document.save();
      }
      if (behind) {
        await open(other);
      }
      await tabsAre(`${other}${behind ? '!' : ''},${now}${saved ? '' : '*'}${behind ? '' : '!'}`);
      await vscode.commands.executeCommand('acpls.rejectAll');
      await tabsAre(`${other}${behind ? '!' : ''},${old}${behind ? '' : '!'}`);
      const text = typed ? 'one\ntwo\nmy three\n' : 'one\ntwo\nthree\n';
      assert.equal(await read(old), text);
      await vscode.workspace.saveAll();
      assert.equal(existsSync(fileOf(now)), false);
      if (!behind) {
        assert.equal(vscode.window.activeTextEditor?.document.getText(), text);
        const { active } = vscode.window.activeTextEditor.selection;
        assert.equal(active.line, typed ? 2 : 0);
      }

      await app.execute('acp.review.restore', {});
      await tabsAre(`${other}${behind ? '!' : ''},${now}${behind ? '' : '!'}`);
      await vscode.workspace.saveAll();
      assert.equal(existsSync(fileOf(old)), false);
    });
  }
});
