import { describeDoorEvent, sinceStart } from '#rules/doors.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import type { DoorLogEntry } from './log-queries.ts';

/** Entries of the door log. `none`: the text if there are none. */
export function DoorEntries({ entries, none }: { entries: readonly DoorLogEntry[]; none: string }) {
  if (entries.length === 0) return <p className="text-fog">{none}</p>;
  return (
    <ol className="divide-y divide-line border-y border-line">
      {entries.map((entry, index) => (
        // Entries have no unique name, and are only added at the top.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${entry.at.getTime()} ${index}`} className="py-3 text-sm">
          <p>
            <span className={ALARMING.has(entry.kind) ? 'font-semibold text-bad' : 'font-semibold'}>
              {describeDoorEvent(entry.kind)}
            </span>
            , {entry.studioName}
          </p>
          <p className="mt-1 text-fog">{describeEntry(entry)}</p>
        </li>
      ))}
    </ol>
  );
}

const ALARMING: ReadonlySet<string> = new Set(['wrong_code', 'break_in']);

/** Describes an entry: "Wed 12 Mar 2031, 8:06 pm: ABCD-2345, Alex Citizen, 6 min after the start". */
function describeEntry({ at, reference, byCode, startTime, customerName, actor }: DoorLogEntry): string {
  const about = [
    actor,
    reference === null ? null : `${byCode ? '' : 'during '}${reference}`,
    customerName,
    startTime === null ? null : sinceStart(at, startTime),
  ].filter((part) => part !== null);
  const when = formatStudioDateTime(at);
  return about.length === 0 ? when : `${when}: ${about.join(', ')}`;
}
