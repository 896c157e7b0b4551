import { type KeyboardEvent, memo } from 'react';
import { cheapestHourCents } from '#rules/pricing.ts';
import { formatMoney } from '#rules/money.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Progress } from '#web/ui/progress.tsx';
import type { Studio } from './queries.ts';
import { RoomPicture } from './room-picture.tsx';

const STEP: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Shows the rooms as radio buttons; arrow keys move and choose. The whole card is the radio, because an input laid over it
 * would catch the pointer.
 */
export const StudioCards = memo(function StudioCards({
  studios,
  today,
  chosen,
  onChoose,
}: {
  studios: readonly Studio[];
  today: StudioDate;
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const walk = (event: KeyboardEvent<HTMLElement>, from: number): void => {
    const step = STEP[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = (from + step + studios.length) % studios.length;
    const studio = studios[to];
    if (studio) onChoose(studio.id);
    const card = event.currentTarget.parentElement?.children[to];
    if (card instanceof HTMLElement) card.focus();
  };
  return (
    <div role="radiogroup" aria-label="Studio" className="grid min-w-0 gap-4 md:grid-cols-3">
      {studios.map((studio, at) => {
        const selected = studio.id === chosen;
        return (
          <button
            key={studio.id}
            type="button"
            role="radio"
            aria-checked={selected}
            tabIndex={selected || (at === 0 && chosen === null) ? 0 : -1}
            onClick={() => onChoose(studio.id)}
            onKeyDown={(event) => walk(event, at)}
            aria-labelledby={`studio-${studio.id}`}
            aria-describedby={`about-${studio.id}`}
            className={`group flex cursor-pointer flex-col border-2 bg-booth text-left transition-colors focus-visible:outline-3 focus-visible:outline-offset-3 focus-visible:outline-signal ${selected ? 'border-signal forced-colors:border-4 forced-colors:border-[Highlight]' : 'border-booth hover:border-edge forced-colors:border-[CanvasText]'}`}
          >
            <RoomPicture name={studio.name} photo={studio.photos[0] ?? null} first={at === 0} />
            <span className="flex grow flex-col gap-3 p-5">
              <span className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
                <span id={`studio-${studio.id}`} className="poster text-3xl whitespace-nowrap md:max-lg:text-2xl">
                  {studio.name}
                </span>
                <span className="text-sm font-bold whitespace-nowrap text-signal tabular-nums">
                  from {formatMoney(cheapestHourCents(today, studio.rates))}
                </span>
              </span>
              <span id={`about-${studio.id}`} className="text-sm text-fog">
                {studio.description}
              </span>
              <span className="mt-auto flex flex-wrap gap-1.5 pt-1">
                {studio.features.map((feature) => (
                  <Chip key={feature}>{feature}</Chip>
                ))}
              </span>
              <span
                aria-hidden="true"
                className={`text-sm font-bold ${selected ? 'text-signal' : 'text-fog group-hover:text-chalk'}`}
              >
                {selected ? 'Chosen' : 'Choose this room'}
              </span>
            </span>
          </button>
        );
      })}
    </div>
  );
});

/** As high as the cards, so that the layout does not shift when they load; the pictures are already shown. */
export function StudioCardsSkeleton() {
  const rooms = useRooms();
  return (
    <div className="relative">
      <div className="grid gap-4 md:grid-cols-3" role="status" aria-label="Loading studios">
        {rooms.map(({ name, photo }, at) => (
          <span key={name} className="flex h-[28rem] flex-col border-2 border-booth bg-booth md:h-[31rem]">
            <RoomPicture name={name} photo={photo} first={at === 0} />
            <span className="skeleton m-5 grow" />
          </span>
        ))}
      </div>
      <p className="absolute inset-x-5 top-5 empty:hidden [&>*]:bg-night/85 [&>*]:p-2">
        <Progress
          on
          words={['', 'Still loading the studios.', 'Your connection is slow. The studios will appear automatically.']}
        />
      </p>
    </div>
  );
}
