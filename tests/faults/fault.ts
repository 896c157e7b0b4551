/** One plausible fault: a replacement in one source file, and the test files that should notice it. */
export type Fault = {
  /** What is wrong then, as a review would say it. */
  readonly title: string;
  /** The changed file, from the root. For SQL: the last migration that states the function. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files or globs from the root, the likeliest first; judged generously. */
  readonly tests: readonly string[];
};
