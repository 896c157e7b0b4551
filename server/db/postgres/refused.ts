/** The database cannot be used as DATABASE_URL names it, and a person must change something. One line each. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
  readonly lines: readonly string[];
  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), cause === undefined ? undefined : { cause });
    this.lines = lines;
  }
}

/** No server answered while the start waited. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}
