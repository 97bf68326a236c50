import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { noCommands } from '../../src/chat/hint';
import { mentionOf } from '../../src/chat/mention';
import { toBytes, toUnits } from '../../src/chat/offsets';
import { hintOf } from '../../src/commands';
import type { SessionInfo } from '../../src/contract';
import { locateServer, serverEnvironment } from '../../src/locator';
import { shorten } from '../../src/review/decorations';
import { sectionOf } from '../../src/settings';
import { dataFolder, isSettings } from '../../src/settingsFiles';
import { describe } from '../../src/status';
import { offerInTerminals } from '../../src/terminals';

suite('the program', () => {
  let home: string;
  setup(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'acpls-'));
  });
  teardown(() => fs.rmSync(home, { recursive: true }));
  const program = (...names: string[]): string => {
    const file = path.join(home, ...names);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  };
  const locate = (setting = '', PATH = '', platform: NodeJS.Platform = 'linux') =>
    locateServer({ setting, env: { PATH }, extension: path.join(home, 'extension'), platform });

  test('the setting, then PATH, then the one that comes along', () => {
    const bundled = program('extension', 'bin', 'acp-ls');
    assert.deepEqual(locate(), { command: bundled, from: 'bundled' });
    const onPath = program('path', 'acp-ls');
    assert.deepEqual(locate('', path.dirname(onPath)), { command: onPath, from: 'PATH' });
    const set = program('set');
    assert.deepEqual(locate(set, path.dirname(onPath)), { command: set, from: 'setting' });
  });

  test('that of an extension on PATH is none of the user', () => {
    const bundled = program('extension', 'bin', 'acp-ls');
    const older = program('extension-0.1', 'bin', 'acp-ls');
    const PATH = [bundled, older].map((file) => path.dirname(file)).join(path.delimiter);
    assert.deepEqual(locate('', PATH), { command: bundled, from: 'bundled' });
  });

  test('the one that comes along is at the end of PATH in terminals, and no other is', () => {
    const done: string[] = [];
    const variables = {
      description: undefined,
      clear: () => done.splice(0),
      append: (name: string, value: string) => done.push(`${name} ${value}`),
    };
    const command = program('extension', 'bin', 'acp-ls');
    offerInTerminals(variables, { command, from: 'bundled' });
    assert.deepEqual(done, [`PATH ${path.delimiter}${path.dirname(command)}`]);
    assert.match(`${variables.description}`, /acp-ls/);
    for (const from of ['setting', 'PATH'] as const) {
      offerInTerminals(variables, { command: program(from, 'acp-ls'), from });
      assert.deepEqual(done, []);
    }
  });

  test('a wrong setting is an error, and not passed over', () => {
    program('extension', 'bin', 'acp-ls');
    assert.throws(() => locate(path.join(home, 'gone')), /acpls.server.path/);
    assert.throws(() => locate('acp-ls'), /whole path/);
    fs.writeFileSync(path.join(home, 'text'), '');
    assert.throws(() => locate(path.join(home, 'text')), /no program/);
  });

  test('relative folders of PATH are left out: they depend on the workspace', () => {
    program('acp-ls');
    const was = process.cwd();
    process.chdir(home);
    try {
      assert.throws(() => locate('', '.'), /not found/);
    } finally {
      process.chdir(was);
    }
  });

  test('on Windows it has a suffix', () => {
    const bundled = program('extension', 'bin', 'acp-ls.exe');
    assert.equal(locate('', '', 'win32').command, bundled);
  });

  test('what VS Code has set for itself is not passed on', () => {
    const env = { PATH: '/bin', HOME: '/h', VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1' };
    assert.deepEqual(serverEnvironment(env), { PATH: '/bin', HOME: '/h' });
  });
});

suite('settings', () => {
  test('only what is set is sent, by the names of the contract', () => {
    const set: Record<string, unknown> = {
      defaultAgent: 'claude',
      'files.save': 'never',
      'files.outside': 'deny',
      'review.codeLens': false,
    };
    assert.deepEqual(
      sectionOf((name) => set[name]),
      {
        defaultAgent: 'claude',
        files: { save: 'never', outside: 'deny' },
        review: { codeLens: false, diagnostics: false },
      },
    );
    assert.deepEqual(
      sectionOf(() => undefined),
      { review: { diagnostics: false } },
    );
  });

  test('every setting of the manifest is machine-scoped if it could start a program', () => {
    const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
    const { properties } = manifest.contributes.configuration;
    for (const name of [
      'server.path',
      'agents',
      'mcpServers',
      'permissions',
      'files.outside',
      'terminal',
      'trace',
    ]) {
      assert.equal(properties[`acpls.${name}`].scope, 'machine', name);
    }
  });

  test('a workspace may choose the agent, once it is trusted, and no more', () => {
    const { contributes, capabilities } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
    const { properties } = contributes.configuration;
    const free = Object.keys(properties).filter((name) => properties[name].scope !== 'machine');
    assert.deepEqual(free.sort(), [
      'acpls.defaultAgent',
      'acpls.files.dirty',
      'acpls.files.save',
      'acpls.review.codeLens',
    ]);
    const { restrictedConfigurations } = capabilities.untrustedWorkspaces;
    assert.deepEqual(restrictedConfigurations, ['acpls.defaultAgent']);
  });

  test('the selection can be added from the context menu of the editor', () => {
    const { menus } = JSON.parse(fs.readFileSync('package.json', 'utf8')).contributes;
    const item = menus['editor/context'].find(
      ({ command }: { command: string }) => command === 'acpls.addSelection',
    );
    assert.match(item?.when ?? '', /\beditorHasSelection\b/);
  });

  test('a key does all that its condition says: VS Code asks for that of its command, too', () => {
    const { commands, keybindings } = JSON.parse(
      fs.readFileSync('package.json', 'utf8'),
    ).contributes;
    for (const { command, when } of keybindings) {
      const { enablement } = commands.find((one: { command: string }) => one.command === command);
      const isTold = enablement === 'isWorkspaceTrusted' ? 'acpls.running' : enablement;
      assert.ok(when.split(' && ').includes(isTold), `${command}: ${when}, but ${enablement}`);
    }
  });

  test('the documents of VS Code itself', () => {
    const data = dataFolder('/h/.config/Code/User/globalStorage/acp-ls.acp-ls');
    assert.equal(data, path.resolve('/h/.config/Code'));
    assert.ok(isSettings('/h/.config/Code/User/settings.json', data));
    assert.ok(isSettings('/h/.config/Code/User/profiles/x/settings.json', data));
    assert.ok(isSettings('/h/.config/Code/Machine/settings.json', data));
    assert.ok(!isSettings('/h/.config/Code/Workspaces/1/x', data));
    assert.ok(!isSettings('/h/.config/CodeX/User/settings.json', data));
    assert.ok(!isSettings('', data));
  });
});

/** Whether the palette shows a command whatever there is: one that is not enabled it does not. */
function isAlwaysThere(
  { command, enablement }: { command: string; enablement: string },
  palette: { command: string }[],
): boolean {
  return enablement === 'isWorkspaceTrusted' && !palette.some((one) => one.command === command);
}

suite('hints', () => {
  test('a command that one names is in the palette', () => {
    const { commands, menus } = JSON.parse(fs.readFileSync('package.json', 'utf8')).contributes;
    for (const command of ['acp.review.accept', 'acp.review.reject'] as const) {
      const [, title] = /ACP: (.*)\.$/.exec(hintOf(command, { id: 'f', op: 'delete' })) ?? [];
      const named = commands.find((one: { title: string }) => one.title === title);
      assert.ok(named, title);
      assert.ok(isAlwaysThere(named, menus.commandPalette));
    }
  });

  test('what decides on many changes stays in the palette when there are none', () => {
    const { commands, menus } = JSON.parse(fs.readFileSync('package.json', 'utf8')).contributes;
    const deciding = commands.filter(({ title }: { title: string }) =>
      /^(Accept|Reject|Review) .*Changes/.test(title),
    );
    assert.equal(deciding.length, 7);
    for (const one of deciding) {
      assert.ok(isAlwaysThere(one, menus.commandPalette), one.title);
    }
  });
});

suite('words', () => {
  test('mentions', () => {
    assert.equal(mentionOf('/w/main.go', '/w'), '@main.go');
    assert.equal(mentionOf('/w/a/b.go', '/w'), '@a/b.go');
    assert.equal(mentionOf('/w/a b.md', '/w'), '@"a b.md"');
    assert.equal(mentionOf('/x/y.go', '/w'), '@/x/y.go');
    assert.equal(mentionOf('/w/main.go', undefined), '@/w/main.go');
    assert.equal(mentionOf('/w/é.go', '/w'), '@"é.go"');
  });

  test('offsets', () => {
    const text = 'aé😀b';
    assert.deepEqual(
      [0, 1, 2, 4, 5].map((units) => toBytes(text, units)),
      [0, 1, 3, 7, 8],
    );
    assert.deepEqual(
      [0, 1, 3, 7, 8].map((bytes) => toUnits(text, bytes)),
      [0, 1, 2, 4, 5],
    );
  });

  test('what was taken away, in short', () => {
    assert.equal(shorten(['  old line']), 'old line');
    assert.equal(shorten(['', ' a', ' b']), 'a + 2 lines');
    assert.equal(shorten(['x'.repeat(80)]), `${'x'.repeat(60)}…`);
    assert.equal(shorten(['']), 'an empty line');
  });

  test('why there are no commands', () => {
    const session = (state: string, commands: object[] = []) =>
      ({ agent: 'claude', state, commands }) as SessionInfo;
    assert.match(noCommands(undefined, 'demo') ?? '', /of demo come .* next prompt/);
    assert.match(noCommands(undefined) ?? '', /of the agent come/);
    assert.match(noCommands(session('failed', [{ name: 'fix' }])) ?? '', /of claude come/);
    assert.match(noCommands(session('starting')) ?? '', /claude is being started/);
    assert.match(noCommands(session('idle')) ?? '', /claude has no commands/);
    assert.equal(noCommands(session('idle', [{ name: 'fix' }])), undefined);
  });

  test('the status', () => {
    const none = { files: 0, hunks: 0, conflicts: 0 };
    const running = { state: 'running' as const };
    const session = (agent: string, state: string) => ({ agent, state }) as SessionInfo;
    const say = (sessions: SessionInfo[], questions = 0, hunks = 0) => {
      const counts = { ...none, hunks };
      const { text, command, urgent } = describe({ server: running, sessions, questions, counts });
      return [text, command, urgent];
    };
    assert.deepEqual(say([]), ['$(comment-discussion) ACP', 'acpls.openChat', false]);
    assert.deepEqual(say([session('claude', 'running')], 0, 2), [
      '$(sync~spin) claude  $(diff) 2',
      'acpls.openChat',
      false,
    ]);
    assert.deepEqual(say([session('claude', 'waiting')], 1), [
      '$(question) claude',
      'acpls.questions',
      true,
    ]);
    assert.deepEqual(say([session('claude', 'starting'), session('demo', 'failed')]), [
      '$(sync~spin) claude',
      'acpls.openChat',
      false,
    ]);
    const failed = {
      server: { state: 'failed' as const, message: 'why' },
      sessions: [],
      questions: 0,
      counts: none,
    };
    assert.equal(describe(failed).command, 'acpls.showLog');
    assert.match(describe(failed).tooltip, /why/);
  });
});
