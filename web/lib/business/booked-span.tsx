import type { ReactNode } from 'react';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { DayBand } from './day-band.tsx';

/** How the lower edge of a picture ends: in the ground of the page, or of a card. */
const ENDS = { night: 'from-night via-night/45', booth: 'from-booth via-booth/45' } as const;

/** The picture of a room, cut wide, that ends in the ground below it. */
export function WidePicture({ ground = 'night', children }: { ground?: keyof typeof ENDS; children: ReactNode }) {
  return (
    <div className="relative flex aspect-[2/1] items-center overflow-hidden sm:aspect-[5/2] [&_img]:h-full [&_img]:w-full [&_picture]:contents">
      {children}
      <span aria-hidden="true" className={`absolute inset-0 bg-linear-to-t via-30% to-transparent ${ENDS[ground]}`} />
    </div>
  );
}

/**
 * Booked hours, large, in the picture of their room, and where they lie in the day. Decoration: the page names room and hours as text.
 * `codeAt`: when the access code is shown, to be marked.
 */
export function BookedSpan({
  start,
  end,
  codeAt,
  studioName,
  picture = null,
}: {
  start: Date;
  end: Date;
  codeAt: Date | null;
  /** Named with the day, where the title of the page does not. */
  studioName?: string;
  picture?: ReactNode;
}) {
  return (
    <div aria-hidden="true" className="border-t-4 border-signal">
      {picture === null ? null : <WidePicture>{picture}</WidePicture>}
      <div className={picture === null ? 'pt-5' : 'relative -mt-10 sm:-mt-14'}>
        <p className="poster text-4xl sm:text-6xl">
          {formatStudioTime(start)} <span className="text-signal">to</span> {formatStudioTime(end)}
        </p>
        {studioName === undefined ? null : (
          <p className="mt-2 text-lg font-bold text-fog">
            {studioName}, {formatStudioDate(start)}
          </p>
        )}
      </div>
      <DayBand start={start} end={end} codeAt={codeAt} />
    </div>
  );
}
