type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
};

/** Returns the failure from vitest's JSON report: the first failed test, or else the file's own message. */
export function getFailure(json: string): string {
  if (json === '') return 'no report was written';
  const { testResults }: Report = JSON.parse(json);
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    if (failed) return `${name.split('/').at(-1) ?? ''}: ${failed.title}`;
    if (message !== '') return `${name.split('/').at(-1) ?? ''}: ${message.split('\n')[0] ?? ''}`;
  }
  return 'no failed test was named';
}
