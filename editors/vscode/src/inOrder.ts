/** Runs one after the other what is begun while something else is under way, and at once what is not. */
export class InOrder {
  private last: Promise<unknown> = Promise.resolve();
  private underWay = 0;

  /** @param patience for how long, in milliseconds, what was begun before is waited for */
  constructor(private readonly patience: number) {}

  run<T>(act: () => Promise<T>): Promise<T> {
    const acted = this.underWay === 0 ? act() : this.before().then(act);
    this.underWay++;
    this.last = acted.then(
      () => this.underWay--,
      () => this.underWay--,
    );
    return acted;
  }

  /** Resolves when what was begun before has ended, or has been waited for long enough. */
  private before(): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise((resolve) => {
      timer = setTimeout(resolve, this.patience);
    });
    return Promise.race([this.last, enough]).finally(() => clearTimeout(timer));
  }
}
