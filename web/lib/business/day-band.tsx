import { daysBetween, formatStudioTime, studioDate, studioHour, studioMinute } from '#rules/studio-time.ts';

const DAY = 24;
/** Hours between two labels with lines. */
const APART = 6;

/**
 * Draws booked hours on the band of their day; for a night, the band runs from noon to noon. Decoration only: the page has the hours as
 * text. `codeAt`: the release of the access code, which is marked; null for no mark.
 */
export function DayBand({ start, end, codeAt = null }: { start: Date; end: Date; codeAt?: Date | null }) {
  const first = studioDate(start);
  const toHour = (at: Date): number =>
    daysBetween(first, studioDate(at)) * DAY + studioHour(at) + studioMinute(at) / 60;
  const ends = toHour(end);
  const from = ends > DAY && studioHour(start) >= DAY / 2 ? DAY / 2 : 0;
  const length = Math.ceil(Math.max(ends - from, DAY) / DAY) * DAY;
  const percent = (hour: number): string => `${((hour - from) / length) * 100}%`;
  const [left, width] = [percent(toHour(start)), `${((ends - toHour(start)) / length) * 100}%`];
  const ticks = Array.from({ length: length / APART + 1 }, (_, index) => from + index * APART);
  return (
    <div aria-hidden="true" className={`pb-1 ${codeAt === null ? 'pt-4' : 'pt-9'}`}>
      <div className="relative h-16 bg-deck">
        {Array.from({ length: length - 1 }, (_, index) => from + index + 1).map((hour) => (
          <span
            key={hour}
            className={`absolute bottom-0 w-px bg-line ${hour % APART === 0 ? 'h-full' : 'h-2'}`}
            style={{ left: percent(hour) }}
          />
        ))}
        <span
          className="absolute inset-y-0 flex animate-fill items-center justify-center gap-[3px] overflow-hidden bg-signal forced-colors:bg-[Highlight]"
          style={{ left, width }}
        >
          {BARS.map((height, index) => (
            // Their order never changes.
            // oxlint-disable-next-line react/no-array-index-key
            <i key={index} className="w-[3px] shrink-0 bg-ink/35" style={{ height }} />
          ))}
        </span>
        {codeAt === null ? null : (
          <span
            className="absolute -top-8 flex -translate-x-1/2 animate-late-drop flex-col items-center text-xs font-bold whitespace-nowrap text-chalk"
            style={{ left: `clamp(2.75rem, ${percent(toHour(codeAt))}, calc(100% - 2.75rem))` }}
          >
            Code {formatStudioTime(codeAt)}
            <span className="mt-1 h-3 w-0.5 bg-chalk" />
          </span>
        )}
      </div>
      <div className="relative mt-1.5 h-5 text-xs font-semibold text-dust tabular-nums">
        {ticks.map((hour, index) => (
          <span
            key={hour}
            className={`absolute whitespace-nowrap ${index === 0 ? '' : index === ticks.length - 1 ? '-translate-x-full' : '-translate-x-1/2'}`}
            style={{ left: percent(hour) }}
          >
            {WORDS[(hour % DAY) / APART]}
          </span>
        ))}
      </div>
    </div>
  );
}

const WORDS = ['12 am', '6 am', '12 pm', '6 pm'];
/** Heights of the bars that show the session as a level meter. */
const BARS = [8, 18, 30, 22, 12, 26, 38, 24, 14, 32, 20, 36, 28, 16, 34, 22, 10, 26, 18, 8].map((px) => `${px}px`);
