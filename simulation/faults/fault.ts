/** A plausible fault in the program: a replacement in one source file. `--fault NAME` puts it into a copy of the project. */
export type Fault = {
  readonly name: string;
  /** The changed file, as a path from the root. */
  readonly file: string;
  /** The text to replace. It occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
};
