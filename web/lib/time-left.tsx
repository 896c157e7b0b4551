import { useNow } from './use-now.ts';

/**
 * Counts down to an instant in minutes and seconds, "14:32", from an hour up with hours, "1:14:32". Zero once the instant has passed. Not
 * announced to screen readers, because the announcements would never stop.
 */
export function TimeLeft({ until }: { until: Date }) {
  const remainingSeconds = Math.max(0, Math.ceil((until.getTime() - useNow(1_000).getTime()) / 1_000));
  return (
    <span role="timer" aria-live="off" className="font-bold text-chalk tabular-nums">
      {clock(remainingSeconds)}
    </span>
  );
}

const two = (count: number): string => String(count).padStart(2, '0');

function clock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`;
}
