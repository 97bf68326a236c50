/**
 * Commands that can be run as long as they are shown. VS Code keeps to itself what a command of a code
 * action is to be run with, and lets go of that when it asks for code actions again, as it does when
 * anything has changed. Who then chooses one that is still shown is told that it was not found.
 * A command that is run with nothing it runs at any time.
 */
import * as vscode from 'vscode';

/** How many there are at most: the latest. */
const most = 200;

export class Lasting implements vscode.Disposable {
  /** By what is run with what; the oldest first. */
  private readonly commands = new Map<string, { id: string; registered: vscode.Disposable }>();
  private last = 0;

  constructor(private readonly run: (command: string, args: unknown[]) => Promise<unknown>) {}

  dispose(): void {
    vscode.Disposable.from(...[...this.commands.values()].map((one) => one.registered)).dispose();
  }

  /** The same command, which lasts. */
  of({ title, tooltip, command, arguments: args = [] }: vscode.Command): vscode.Command {
    const key = JSON.stringify([command, args]);
    const one = this.commands.get(key) ?? this.register(command, args);
    this.commands.delete(key);
    this.commands.set(key, one);
    for (const [oldest, { registered }] of this.commands) {
      if (this.commands.size <= most) {
        break;
      }
      registered.dispose();
      this.commands.delete(oldest);
    }
    return { title, command: one.id, ...(tooltip !== undefined && { tooltip }) };
  }

  private register(
    command: string,
    args: unknown[],
  ): { id: string; registered: vscode.Disposable } {
    const id = `acpls.lasting.${++this.last}`;
    const run = () => this.run(command, args);
    return { id, registered: vscode.commands.registerCommand(id, run) };
  }
}
