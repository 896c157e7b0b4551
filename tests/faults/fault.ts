/** One plausible fault: a replacement in one source file, and the test files that should notice it. */
export type Fault = {
  /** A description of the resulting defect, as a review would phrase it. */
  readonly title: string;
  /** The changed file, as a path from the root. */
  readonly file: string;
  /** The text to replace. It must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Test files or globs from the root, with those most likely to notice the fault first. The list should be generous. */
  readonly tests: readonly string[];
};
