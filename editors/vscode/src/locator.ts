/**
 * Where the program acp-ls is. In this order: the setting `acpls.server.path`, then `PATH`, then
 * the one in this extension's folder `bin`. A setting that is wrong is an error: whoever set it
 * wants that program and no other.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export interface Server {
  command: string;
  from: 'setting' | 'PATH' | 'bundled';
}

export interface Places {
  /** The setting; empty if there is none. */
  setting: string;
  /** The environment variables. */
  env: NodeJS.ProcessEnv;
  /** The extension's folder. */
  extension: string;
  platform?: NodeJS.Platform;
}

export function locateServer(places: Places): Server {
  const windows = (places.platform ?? process.platform) === 'win32';
  const name = windows ? 'acp-ls.exe' : 'acp-ls';
  if (places.setting !== '') {
    const command = expandHome(places.setting);
    if (!path.isAbsolute(command)) {
      throw new Error(`The setting acpls.server.path must be a whole path, not ${places.setting}`);
    }
    if (!isProgram(command, windows)) {
      throw new Error(`The setting acpls.server.path names no program: ${command}`);
    }
    return { command, from: 'setting' };
  }
  // VS Code that is started in a terminal of VS Code's has the program that came along on PATH,
  // maybe that of another version.
  const extensions = path.dirname(places.extension);
  const isOurs = (folder: string) => path.resolve(folder, '../..') === extensions;
  for (const folder of pathOf(places.env, windows).filter((one) => !isOurs(one))) {
    const command = path.join(folder, name);
    if (isProgram(command, windows)) {
      return { command, from: 'PATH' };
    }
  }
  const command = path.join(places.extension, 'bin', name);
  if (isProgram(command, windows)) {
    return { command, from: 'bundled' };
  }
  throw new Error(
    'The program acp-ls was not found: put it on PATH, or set acpls.server.path to where it is',
  );
}

function expandHome(file: string): string {
  return file === '~' || file.startsWith('~/') ? path.join(os.homedir(), file.slice(1)) : file;
}

/** The folders of PATH, without relative ones: those would depend on the workspace. */
function pathOf(env: NodeJS.ProcessEnv, windows: boolean): string[] {
  const key = windows
    ? (Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH')
    : 'PATH';
  return (env[key] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

function isProgram(file: string, windows: boolean): boolean {
  try {
    fs.accessSync(file, windows ? fs.constants.F_OK : fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The environment that acp-ls, and with it the agents, is to have: that of VS Code without what
 * VS Code has put there for itself.
 */
export function serverEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name)),
  );
}
