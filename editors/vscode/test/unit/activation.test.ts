import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import * as path from 'node:path';

const dist = path.join(__dirname, '../..');

/** What node calls for every `require`. */
const loader = Module as unknown as { _load(id: string, ...rest: unknown[]): unknown };

/**
 * Stands for anything of VS Code's, whatever is done with it.
 * @param call is told of each function that is called, and of its first argument
 */
function anything(name: string, call: (name: string, first: unknown) => void): object {
  return new Proxy(class {}, {
    get: (_, key) =>
      typeof key === 'symbol' || key === 'then' ? undefined : anything(`${name}.${key}`, call),
    set: () => true,
    construct: () => anything(name, call),
    apply: (_, __, [first]) => {
      call(name, first);
      return anything(`${name}()`, call);
    },
  });
}

/** Loads the extension as it is built, and activates it, up to where VS Code goes on. */
function activate() {
  const required: string[] = [];
  const calls: Array<{ name: string; first: unknown }> = [];
  const putOff: unknown[] = [];
  const load = loader._load;
  const { setImmediate } = globalThis;
  const vscode = anything('vscode', (name, first) => calls.push({ name, first }));
  loader._load = (id, ...rest) => {
    required.push(id);
    return id === 'vscode' ? vscode : load(id, ...rest);
  };
  globalThis.setImmediate = ((later: unknown) => putOff.push(later)) as never;
  try {
    const file = path.join(dist, 'extension.js');
    createRequire(file)(file).activate({
      subscriptions: [],
      workspaceState: { get: () => undefined },
    });
  } finally {
    loader._load = load;
    globalThis.setImmediate = setImmediate;
  }
  const firsts = (name: string) => calls.filter((c) => c.name === name).map((c) => c.first);
  return { required, calls: calls.map(({ name }) => name), firsts, putOff };
}

suite('activation', () => {
  let seen: ReturnType<typeof activate>;
  suiteSetup(() => {
    seen = activate();
  });

  test('VS Code is asked for its module once, and no other file is loaded', () => {
    assert.equal(seen.required.filter((id) => id === 'vscode').length, 1);
    assert.deepEqual(
      seen.required.filter((id) => id.startsWith('.')),
      [],
    );
  });

  test('what VS Code offers, or may have shown before, is there', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(dist, '../package.json'), 'utf8'));
    const commands = seen.firsts('vscode.commands.registerCommand');
    for (const { command } of manifest.contributes.commands) {
      assert.ok(commands.includes(command), command);
    }
    assert.deepEqual(seen.firsts('vscode.window.registerWebviewViewProvider'), ['acpls.chat']);
    assert.deepEqual(seen.firsts('vscode.window.createStatusBarItem'), ['acpls.status']);
  });

  test('what needs something to show, or can wait, is not', () => {
    for (const name of [
      'vscode.window.createTextEditorDecorationType',
      'vscode.window.createTreeView',
      'vscode.scm.createSourceControl',
      'vscode.commands.executeCommand',
      'vscode.workspace.getConfiguration',
    ]) {
      assert.ok(!seen.calls.includes(name), name);
    }
    assert.equal(seen.putOff.length, 1);
  });
});
