import { slotLabel, slotRangeLabel } from '#rules/slots.ts';
import { Button } from '#web/ui/button.tsx';

/** A week that is open at all hours. */
export const ALWAYS: readonly boolean[] = Array.from({ length: 168 }, () => true);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The opening hours of a room: a checkbox for each hour of a week, Sunday 12 AM first. Existing bookings outside new opening hours are kept. */
export function OpeningHours({
  hours,
  onChange,
}: {
  hours: readonly boolean[];
  onChange: (hours: readonly boolean[]) => void;
}) {
  const count = hours.filter(Boolean).length;
  const set = (from: number, open: readonly boolean[]): void => onChange(hours.toSpliced(from, open.length, ...open));
  return (
    <details className="border border-line p-4">
      <summary className="min-h-8 cursor-pointer font-semibold">
        Opening hours: {count === 168 ? '24/7' : `${count} hours a week`}
      </summary>
      <p className="mt-2 text-sm text-fog">
        Sydney time. Customers can’t book hours without a tick. Existing bookings stay.
      </p>
      <div className="mt-4 space-y-5">
        {DAYS.map((day, index) => (
          <fieldset key={day}>
            <legend className="mb-2 font-bold">{day}</legend>
            <div className="grid grid-cols-4 gap-1.5 sm:grid-cols-8">
              {HOURS.map((hour) => (
                <label
                  key={hour}
                  className="flex min-h-11 items-center gap-2 border border-line px-2 text-sm has-checked:border-signal"
                >
                  <input
                    type="checkbox"
                    className="size-4 accent-signal"
                    aria-label={`${day}, ${slotRangeLabel(hour)}`}
                    checked={hours[index * 24 + hour] === true}
                    onChange={(event) => set(index * 24 + hour, [event.target.checked])}
                  />
                  {slotLabel(hour)}
                </label>
              ))}
            </div>
            <div className="mt-2 flex flex-wrap gap-2">
              <Button
                tone="quiet"
                onClick={() =>
                  set(
                    index * 24,
                    HOURS.map(() => true),
                  )
                }
              >
                Open all {day}
              </Button>
              <Button
                tone="quiet"
                onClick={() =>
                  set(
                    index * 24,
                    HOURS.map(() => false),
                  )
                }
              >
                Closed on {day}
              </Button>
            </div>
          </fieldset>
        ))}
      </div>
    </details>
  );
}
