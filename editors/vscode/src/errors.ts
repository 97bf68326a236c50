/** Errors, and what to say of them. */

/** An error of a command: `kind` is `data.kind` of the contract. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly kind: string | undefined,
  ) {
    super(message);
  }
}

export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
