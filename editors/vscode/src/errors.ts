/** Errors, and what to say of them. */

/**
 * An error of a command: `kind` is `data.kind` of the contract, or `ended` if acp-ls does not run,
 * or `interrupted` if it has ended before it answered.
 */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly kind: string | undefined,
  ) {
    super(message);
  }
}

/** Whether nothing has gone wrong but that acp-ls has ended, which is said by itself. */
export function isInterrupted(err: unknown): boolean {
  return err instanceof CommandError && err.kind === 'interrupted';
}

/** Whether the user has stopped an agent before it was ready, which its session says. */
export function isStopped(err: unknown): boolean {
  return err instanceof CommandError && err.kind === 'stopped';
}

/** Whether what a command was given is wrong, or something is missing. */
export function isInvalid(err: unknown): boolean {
  return err instanceof CommandError && err.kind === 'invalid';
}

export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
