import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { App } from '../../src/app';
import { diagnostics, editorState, run } from '../../src/editor';
import { anew, fileOf, open, prompt, startSession, theApp, type, until } from './lib';

suite('what acp-ls asks of the editor', () => {
  let app: App;
  suiteSetup(async () => {
    app = await theApp();
  });
  setup(() => anew(app));

  test('what the user looks at', async () => {
    await until('nothing is open', () => editorState(app.typing).visible.length === 0);
    const document = await open('look.txt', 'one\ntwo\n');
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(0, 1, 1, 2);
    const { active, visible } = editorState(app.typing);
    assert.deepEqual(visible, [document.uri.toString()]);
    assert.equal(active?.uri, document.uri.toString());
    assert.deepEqual(active?.ranges, [
      { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } },
    ]);
    await type(0, 0, 'x');
    assert.ok(editorState(app.typing).lastTyped < 5000);
  });

  test('what language servers say, but for acp-ls', async () => {
    const document = await open('wrong.txt', 'one\n');
    const collection = vscode.languages.createDiagnosticCollection('test');
    const range = new vscode.Range(0, 0, 0, 3);
    const found = new vscode.Diagnostic(range, 'wrong', vscode.DiagnosticSeverity.Warning);
    found.code = { value: 'W1', target: vscode.Uri.parse('https://example.com') };
    const ours = new vscode.Diagnostic(range, 'ours');
    ours.source = 'acp';
    collection.set(document.uri, [found, ours]);
    const want = {
      uri: document.uri.toString(),
      diagnostics: [
        {
          range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
          severity: 2,
          code: 'W1',
          message: 'wrong',
        },
      ],
    };
    assert.deepEqual(diagnostics({ uri: document.uri.toString() }).items, [want]);
    assert.deepEqual(
      diagnostics({}).items.filter(({ uri }) => uri === want.uri),
      [want],
    );
    collection.dispose();
    assert.deepEqual(diagnostics({ uri: document.uri.toString() }).items, []);
  });

  test('a program in a terminal', async () => {
    const source = new vscode.CancellationTokenSource();
    const params = { title: 'test', command: '/bin/sh', env: { CODE: '3' }, cwd: fileOf('.') };
    const result = await run({ ...params, args: ['-c', 'exit $CODE'] }, source.token);
    assert.deepEqual(result, { exitCode: 3 });
    const waiting = run({ ...params, args: ['-c', 'cat'] }, source.token);
    source.cancel();
    assert.notEqual((await waiting).exitCode, 0);
  });

  test('saving runs what runs when the user saves', async () => {
    const document = await open('format.txt', 'one\n');
    const listener = vscode.workspace.onWillSaveTextDocument((event) => {
      event.waitUntil(
        Promise.resolve([vscode.TextEdit.insert(new vscode.Position(0, 0), 'formatted ')]),
      );
    });
    const session = await startSession(app);
    await prompt(app, session, [{ write: 'format.txt', text: 'two\n' }]);
    listener.dispose();
    assert.equal(document.getText(), 'formatted two\n');
    assert.equal(document.isDirty, false);
  });
});
