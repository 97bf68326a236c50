// A real VS Code for tests: its server (tools/get-vscode) with a profile of its own, and a
// headless Chromium for its workbench. Everything is on 127.0.0.1 and ends with `stop`.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const root = path.resolve(extension, '../..');

/** The launcher of VS Code; fetched if it is not in the cache. */
export function launcher() {
  const given = process.env.ACP_LS_VSCODE;
  return given || execFileSync(path.join(root, 'tools/get-vscode'), { encoding: 'utf8' }).trim();
}

const settings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'workbench.startupEditor': 'none',
  'remote.autoForwardPorts': false, // it tells of servers of other tests
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'window.restoreWindows': 'none',
  'git.openRepositoryInParentFolders': 'never',
  'git.autorefresh': false,
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  // Nothing moves by itself: to paint costs more than all that is tested.
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'terminal.integrated.cursorBlinking': false,
};

/** Writes the settings of a VS Code: those of all tests, and some more. */
export function writeSettings(home, more) {
  for (const level of ['User', 'Machine']) {
    // A remote VS Code takes settings of scope machine from Machine alone.
    const folder = path.join(home, 'vscode', level);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'settings.json'),
      JSON.stringify({ ...settings, ...more }, null, 2),
    );
  }
}

/** Has a signal end this program at once, with what it has started, and take its folder away. */
export function endOnSignals(home) {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      process.once('exit', () => {
        fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      });
      process.exit(1);
    });
  }
}

/**
 * Starts VS Code.
 * @param {object} options
 * @param {string} options.home a folder of the test's: profile, extensions, and what acp-ls keeps
 * @param {string[]} [options.install] packages (.vsix) to install first
 * @param {object} [options.settings] beside those of all tests
 * @param {Record<string, string>} [options.env]
 * @param {boolean} [options.trust] whether the question of trust is switched off (default)
 * @param {boolean} [options.driver] whether tests may run in its extension host; it shows no
 *   notifications then
 * @param {number} [options.port]
 * @returns {Promise<{base: string, stop: () => Promise<void>}>}
 */
export async function startVSCode(options) {
  const code = launcher();
  const { home } = options;
  const user = path.join(home, 'vscode');
  writeSettings(home, options.settings);
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_STATE_HOME: path.join(home, '.local/state'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    VSCODE_CLI: '1', // it has the environment it needs, and asks no login shell for another PATH
    ...options.env,
  };
  const profile = [
    ...['--config', path.join(home, 'config.yaml')],
    ...['--user-data-dir', user, '--extensions-dir', path.join(home, 'extensions')],
  ];
  for (const vsix of options.install ?? []) {
    execFileSync(code, [...profile, '--install-extension', vsix], { env, stdio: 'pipe' });
  }
  const address = `127.0.0.1:${options.port ?? (await freePort())}`;
  const args = [
    ...['--bind-addr', address, '--auth', 'none', ...profile],
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
    ...(options.trust === false ? [] : ['--disable-workspace-trust']),
    ...(options.driver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
  ];
  const log = fs.openSync(path.join(home, 'code.log'), 'a');
  const server = spawn(code, args, { env, stdio: ['ignore', log, log], detached: true });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const kill = () => {
    try {
      process.kill(-server.pid, 'SIGKILL'); // with what it started
    } catch {
      // gone already
    }
  };
  process.once('exit', kill); // however this ends, VS Code does not stay
  const stop = async () => {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      try {
        process.kill(-server.pid, signal);
      } catch {
        break; // gone already
      }
      if (await Promise.race([ended.then(() => true), pause(5000)])) {
        break;
      }
    }
    kill();
    process.off('exit', kill);
    fs.closeSync(log);
  };
  const base = `http://${address}`;
  for (const deadline = Date.now() + 60_000; ; ) {
    if (server.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`VS Code does not start: see ${home}/code.log`);
    }
    if (await answers(`${base}/healthz`)) {
      return { base, stop };
    }
    await pause(100);
  }
}

/**
 * A browser.
 * @param {{size?: {width: number, height: number}}} [options]
 */
export async function openBrowser(options = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-browser-'));
  const remove = () => {
    try {
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // A browser that is about to end still writes there.
    }
  };
  process.once('exit', remove); // also where a signal or a failure ends this
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || findBrowser(),
    headless: true,
    viewport: options.size ?? { width: 1400, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const close = async () => {
    await context.close();
    process.off('exit', remove);
    remove();
  };
  return { context, close };
}

/**
 * Where the workbench is.
 * @param {string} base
 * @param {string} opened a folder, or the file of a workspace
 * @param {Array<[string, string]>} [payload]
 */
export function workbenchUrl(base, opened, payload) {
  const kind = opened.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const query = new URLSearchParams({ [kind]: opened });
  if (payload) {
    query.set('payload', JSON.stringify(payload));
  }
  return `${base}/?${query}`;
}

export function findBrowser() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
      const file = path.join(folder, name);
      if (fs.existsSync(file)) {
        return file;
      }
    }
  }
  throw new Error('no chromium on PATH: install it (Debian: apt-get install chromium)');
}

function answers(url) {
  return new Promise((resolve) => {
    http
      .get(url, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      })
      .on('error', () => resolve(false));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
