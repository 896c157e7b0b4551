import { venue } from '#rules/venue.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { useOutsideSydney } from '#web/lib/business/use-outside-sydney.ts';

/** Explains what to choose. Tells visitors outside Sydney that times are Sydney's. */
export function ZoneNote() {
  const outsideSydney = useOutsideSydney();
  const alwaysOpen = useRooms().every((room) => room.alwaysOpen);
  return (
    <>
      <p>
        Pick a room, a day and your hours.
        {alwaysOpen ? ` Open ${venue.hours}, every hour of the week.` : ' Closed hours are marked.'}
      </p>
      {outsideSydney ? (
        <p className="mt-3 border-l-4 border-warn bg-booth p-3 text-chalk">
          All times here are <strong>Sydney time</strong>, which is different from your local time.
        </p>
      ) : null}
    </>
  );
}
