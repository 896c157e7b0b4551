/** The database at DATABASE_URL cannot be used as it is, and the operator must change something. One line for each fault. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly lines: readonly string[];
  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), cause === undefined ? undefined : { cause });
    this.lines = lines;
  }
}

/** No server answered while the start waited for one. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}
