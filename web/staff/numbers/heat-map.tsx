import type { WeekdayHours } from './queries.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Shades from empty to full. Text stays readable on each. */
const SHADES = ['', 'bg-signal/10', 'bg-signal/20', 'bg-signal/30', 'bg-signal/40', 'bg-signal/50'] as const;

/** Formats an hour: 0 → "12 am", 13 → "1 pm". */
const nameOfHour = (hour: number): string => `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'am' : 'pm'}`;

/** Shows which share of each hour of the week was booked; darker cells are fuller. Screen readers use the same table. */
export function HeatMap({ hours }: { hours: readonly WeekdayHours[] }) {
  const found = new Map(hours.map((hour) => [`${hour.weekday} ${hour.hour}`, hour]));
  return (
    <table className="w-full table-fixed border-collapse text-center text-xs tabular-nums">
      <caption className="mb-3 text-left text-sm text-fog">
        Booked hours as a percentage of open hours, by weekday and hour in Sydney.
      </caption>
      <thead>
        <tr>
          <th scope="col" className="w-14 py-1 text-left font-normal text-fog">
            Hour
          </th>
          {DAYS.map((day) => (
            <th key={day} scope="col" className="py-1 font-normal text-fog">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {HOURS.map((hour) => (
          <tr key={hour}>
            <th scope="row" className="py-1 text-left font-normal whitespace-nowrap text-fog">
              {nameOfHour(hour)}
            </th>
            {DAYS.map((day, index) => (
              <HeatCell key={day} hours={found.get(`${index + 1} ${hour}`)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeatCell({ hours }: { hours: WeekdayHours | undefined }) {
  if (hours === undefined || hours.open <= 0)
    return <td className="border border-night text-dust">{hours === undefined ? '' : 'shut'}</td>;
  const share = hours.booked / hours.open;
  return (
    <td className={`border border-night ${SHADES[Math.min(5, Math.ceil(share * 5))] ?? ''}`}>
      {share === 0 ? <span className="text-dust">0</span> : Math.round(share * 100)}
    </td>
  );
}
