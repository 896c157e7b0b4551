import type { ReactNode } from 'react';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { DayBand } from './day-band.tsx';

/** Gradients that blend the lower edge of a picture into the background of the page or of a card. */
const ENDS = { night: 'from-night via-night/45', booth: 'from-booth via-booth/45' } as const;

/** A wide crop of a room's picture that fades into the background below it. */
export function WidePicture({ ground = 'night', children }: { ground?: keyof typeof ENDS; children: ReactNode }) {
  return (
    <div className="relative flex aspect-[2/1] items-center overflow-hidden sm:aspect-[5/2] [&_img]:h-full [&_img]:w-full [&_picture]:contents">
      {children}
      <span aria-hidden="true" className={`absolute inset-0 bg-linear-to-t via-30% to-transparent ${ENDS[ground]}`} />
    </div>
  );
}

/**
 * Booked hours in large type on the picture of their room, and their place in the day. Decoration only: the page has room and hours as
 * text. `codeAt`: the release of the access code, which is marked; null for no mark.
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
  /** Shown with the day if the title of the page does not contain it. */
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
