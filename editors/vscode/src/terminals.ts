/** The program acp-ls in VS Code's terminals: who has no other can run it there by its name. */
import * as path from 'node:path';
import type * as vscode from 'vscode';
import type { Server } from './locator';

type Variables = Pick<vscode.EnvironmentVariableCollection, 'append' | 'clear' | 'description'>;

/** Puts the folder of the program at the end of PATH, if it is the one that came along. */
export function offerInTerminals(variables: Variables, { command, from }: Server): void {
  variables.clear();
  if (from === 'bundled') {
    variables.description = 'Puts `acp-ls` at the end of `PATH`';
    variables.append('PATH', path.delimiter + path.dirname(command));
  }
}
