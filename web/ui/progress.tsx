import { type ReactNode, useEffect, useState } from 'react';
import { LoadFailed, Skeleton } from './notice.tsx';

/** Describes what is going on in texts that change over time. Shows nothing while `on` is false. The parent reserves the space. */
export function Progress({ on, words }: { on: boolean; words: readonly [string, string, string] }) {
  return on ? <Steps words={words} /> : null;
}

/** When the second and the third text appear. Most calls end before the second text; after 12 seconds people need an explanation. */
const SECOND_MS = 4_000;
const THIRD_MS = 12_000;

function Steps({ words }: { words: readonly [string, string, string] }) {
  const [step, setStep] = useState<0 | 1 | 2>(0);
  useEffect(() => {
    const timers = [setTimeout(() => setStep(1), SECOND_MS), setTimeout(() => setStep(2), THIRD_MS)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return <output>{words[step]}</output>;
}

/** The parts of a query that `Loaded` reads. */
type Query<Data> = {
  readonly data: Data | undefined;
  readonly isError: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
};

/**
 * Shows the data of a query. The data stays when a later read fails. Until there is data, it shows a placeholder, or the failure with a
 * button that tries again. `what`: the data in words, such as “your devices”. `failed`: the title of the failure, if it is another sentence.
 * `why`: describes the error below the title. `skeleton`: the classes of the placeholder; without them, nothing is shown while it loads.
 */
export function Loaded<Data>({
  query,
  what,
  failed = `${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded.`,
  why,
  skeleton,
  children,
}: {
  query: Query<Data>;
  what: string;
  failed?: string;
  why?: (error: Error | null) => string;
  skeleton?: string;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <LoadFailed title={failed} why={why?.(query.error)} onRetry={() => void query.refetch()} />;
  return skeleton === undefined ? null : <Skeleton className={skeleton} label={`Loading ${what}`} />;
}
