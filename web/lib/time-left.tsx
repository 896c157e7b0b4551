import { useNow } from './use-now.ts';

/** Counts down to an instant in minutes and seconds: "14:32". Zero once it has passed. Not announced: it would never stop. */
export function TimeLeft({ until }: { until: Date }) {
  const left = Math.max(0, Math.ceil((until.getTime() - useNow(1_000).getTime()) / 1_000));
  return (
    <span role="timer" aria-live="off" className="font-bold text-chalk tabular-nums">
      {Math.floor(left / 60)}:{String(left % 60).padStart(2, '0')}
    </span>
  );
}
