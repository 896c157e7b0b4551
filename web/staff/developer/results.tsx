import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatRecordTime } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Empty } from '#web/ui/notice.tsx';

type Result = {
  readonly id: number;
  readonly name: string;
  readonly at: Date;
  readonly ok: boolean;
  readonly message: string;
  readonly detail: string;
};
/** The result of a tool: a sentence and the full answer. */
export type Outcome = { readonly ok: boolean; readonly message: string; readonly detail?: unknown };

/** A step with its own button. */
export type Tool = { readonly name: string; readonly work: () => Promise<Outcome> };

/** Runs tools one at a time and keeps their results, newest first. */
export function useResults() {
  const [results, setResults] = useState<readonly Result[]>([]);
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ work }: Tool) => work(),
    meta: { handled: true },
    onSettled: (outcome, error, { name }) => {
      const { ok, message, detail } = outcome ?? {
        ok: false,
        message: describeError(error, 'Failed.'),
        detail: undefined,
      };
      const text = detail === undefined ? '' : JSON.stringify(detail, null, 2);
      setResults((all) => [{ id: (all[0]?.id ?? 0) + 1, name, at: new Date(), ok, message, detail: text }, ...all]);
    },
  });
  return {
    results,
    running: isPending ? variables.name : null,
    run: (tool: Tool) => mutate(tool),
    clear: () => setResults([]),
  };
}

export function Results({ results, onClear }: { results: readonly Result[]; onClear: () => void }) {
  return (
    <section aria-label="Results" className="mt-12">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-3xl">Results</h2>
        <Button tone="plain" disabled={results.length === 0} onClick={onClear}>
          Clear Results
        </Button>
      </div>
      <div aria-live="polite">
        {results.length === 0 ? <Empty>No results yet.</Empty> : null}
        <ul className="space-y-3">
          {results.map((result) => (
            <li key={result.id} className="bg-booth p-4">
              <p className="flex flex-wrap items-center gap-x-4 gap-y-2">
                <Chip tone={result.ok ? 'good' : 'bad'}>{result.ok ? 'Success' : 'Failed'}</Chip>
                <strong>{result.name}</strong>
                <span className="text-sm text-dust tabular-nums">{formatRecordTime(result.at)}</span>
              </p>
              <p className="mt-2">{result.message}</p>
              {result.detail === '' ? null : (
                <pre
                  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
                  tabIndex={0}
                  className="mt-3 max-h-80 overflow-auto bg-night p-3 text-sm text-fog"
                >
                  {result.detail}
                </pre>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
