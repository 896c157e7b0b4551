import { hourExists, slotEnd, slotStart, type StudioDate } from '#rules/studio-time.ts';

/** Explains the change of clocks on the two days on which it happens. Shows nothing on other days. */
export function DayNote({ date }: { date: StudioDate }) {
  const note = getNote(date);
  return note === null ? null : <p className="mb-4 border-l-4 border-warn bg-booth p-3 text-sm text-fog">{note}</p>;
}

function getNote(date: StudioDate): string | null {
  if (!hourExists(date, 2)) return 'The clocks go forward on this night: there’s no 2 am, so 3 am follows 1 am.';
  const start = slotStart(date, 2);
  const long = start !== null && slotEnd(date, 2).getTime() - start.getTime() > 3_600_000;
  return long
    ? 'The clocks go back on this night, so 2 am happens twice. Book it once and you get both hours for the price of one.'
    : null;
}
