/**
 * VS Code's own files. It writes its settings through documents that nobody has opened, and tells
 * of them like of any other. Pure.
 */
import * as path from 'node:path';

/** The folder of VS Code's own files, from that of this extension (`.../User/globalStorage/ID`). */
export function dataFolder(globalStorage: string): string {
  return path.resolve(globalStorage, '../../..');
}

/** Whether a file is one of VS Code's settings: the user's, a profile's, or the machine's. */
export function isSettings(file: string, data: string): boolean {
  return ['User', 'Machine'].some((folder) => file.startsWith(path.join(data, folder) + path.sep));
}
