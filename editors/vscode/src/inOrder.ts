/** Runs one after the other what is begun while something else is under way. */
export class InOrder {
  private last: Promise<unknown> = Promise.resolve();

  /** @param patience for how long, in milliseconds, what was begun before is waited for */
  constructor(private readonly patience: number) {}

  run<T>(act: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise((resolve) => {
      timer = setTimeout(resolve, this.patience);
    });
    const before = Promise.race([this.last, enough]).finally(() => clearTimeout(timer));
    const acted = before.then(act);
    this.last = acted.catch(() => undefined);
    return acted;
  }
}
