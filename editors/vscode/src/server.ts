/** The process acp-ls. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** How much of what it wrote on its standard error is kept, for when it dies. */
const keptError = 2000;

export class ServerProcess {
  private error = '';

  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    /** Resolves when it has ended, with how. */
    readonly ended: Promise<string>,
  ) {
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      this.error = (this.error + text).slice(-keptError);
    });
  }

  /** Rejects if the program cannot be run. */
  static async start(
    command: string,
    env: NodeJS.ProcessEnv,
    cwd: string | undefined,
  ): Promise<ServerProcess> {
    const child = spawn(command, ['serve'], { env, cwd });
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', () => undefined); // a signal that could not be sent
    child.stdin.on('error', () => undefined); // it has ended: `ended` says so
    return new ServerProcess(child, ended);
  }

  /** The last line it wrote on its standard error that says what is wrong, or nothing. */
  get lastWords(): string {
    const lines = this.error
      .split('\n')
      .filter((line) => line.trim() !== '' && !/ level=(DEBUG|INFO) /.test(line));
    return (lines.at(-1) ?? '').replace(/^acp-ls: /, '');
  }

  /** Ends it: it ends by itself when nobody speaks with it, and takes its agents along. */
  async end(patience: number): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), patience);
    await this.ended;
    clearTimeout(timer);
  }
}
