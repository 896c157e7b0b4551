/** Thrown for an invalid configuration. `faults` has one line per fault. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}
