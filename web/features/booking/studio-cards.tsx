import { cheapestHourCents } from '#rules/pricing.ts';
import { formatMoney } from '#rules/money.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Progress } from '#web/ui/progress.tsx';
import type { Studio } from './queries.ts';
import { RoomPicture } from './room-picture.tsx';

/** The rooms, one of which is chosen; arrow keys walk as between any radio buttons. */
export function StudioCards({
  studios,
  chosen,
  onChoose,
}: {
  studios: readonly Studio[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  return (
    <fieldset className="grid min-w-0 gap-4 md:grid-cols-3">
      <legend className="sr-only">Studio</legend>
      {studios.map((studio) => {
        const selected = studio.id === chosen;
        return (
          <label
            key={studio.id}
            className={`group relative flex cursor-pointer flex-col border-2 bg-booth text-left transition-colors has-[:focus-visible]:outline-3 has-[:focus-visible]:outline-offset-3 has-[:focus-visible]:outline-signal ${selected ? 'border-signal forced-colors:border-4 forced-colors:border-[Highlight]' : 'border-booth hover:border-edge forced-colors:border-[CanvasText]'}`}
          >
            <input
              type="radio"
              name="studio"
              value={studio.id}
              checked={selected}
              onChange={() => onChoose(studio.id)}
              aria-labelledby={`studio-${studio.id}`}
              aria-describedby={`about-${studio.id}`}
              className="absolute inset-0 z-10 size-full cursor-pointer appearance-none outline-none"
            />
            <RoomPicture name={studio.name} />
            <span className="flex grow flex-col gap-3 p-5">
              <span className="flex items-baseline justify-between gap-3">
                <span id={`studio-${studio.id}`} className="poster text-3xl">
                  {studio.name}
                </span>
                <span className="text-sm font-bold whitespace-nowrap text-signal tabular-nums">
                  from {formatMoney(cheapestHourCents())}
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
          </label>
        );
      })}
    </fieldset>
  );
}

/** As high as the cards, so that nothing jumps when they come. */
export function StudioCardsSkeleton() {
  return (
    <div className="relative">
      <div className="grid gap-4 md:grid-cols-3" role="status" aria-label="Loading studios">
        {[1, 2, 3].map((one) => (
          <span key={one} className="skeleton h-[28rem] md:h-[31rem]" />
        ))}
      </div>
      <p className="absolute inset-x-5 top-5">
        <Progress
          on
          words={[
            '',
            'Still asking for the studios.',
            'The connection is slow. The studios appear here by themselves.',
          ]}
        />
      </p>
    </div>
  );
}
