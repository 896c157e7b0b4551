import { cheapestHourCents } from '#rules/pricing.ts';
import { formatMoney } from '#rules/money.ts';
import type { Studio } from './queries.ts';
import { StudioArt } from './studio-art.tsx';

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
            className={`group relative flex cursor-pointer flex-col border-2 bg-booth text-left transition-colors has-[:focus-visible]:outline-3 has-[:focus-visible]:outline-offset-3 has-[:focus-visible]:outline-signal ${selected ? 'border-signal' : 'border-booth hover:border-line'}`}
          >
            <input
              type="radio"
              name="studio"
              value={studio.id}
              checked={selected}
              onChange={() => onChoose(studio.id)}
              aria-labelledby={`studio-${studio.id}`}
              aria-describedby={`about-${studio.id}`}
              className="absolute inset-0 size-full cursor-pointer appearance-none outline-none"
            />
            <StudioArt name={studio.name} className="aspect-[20/8] w-full md:aspect-[20/11]" />
            <span className="flex grow flex-col gap-3 p-5">
              <span className="flex items-baseline justify-between gap-3">
                <span
                  id={`studio-${studio.id}`}
                  className="text-3xl leading-none font-extrabold uppercase [font-stretch:75%]"
                >
                  {studio.name}
                </span>
                <span className="text-sm font-bold text-signal tabular-nums">
                  from {formatMoney(cheapestHourCents())}
                </span>
              </span>
              <span id={`about-${studio.id}`} className="text-sm text-fog">
                {studio.description}
              </span>
              <span className="mt-auto flex flex-wrap gap-1.5 pt-1">
                {studio.features.map((feature) => (
                  <span key={feature} className="border border-line px-2 py-0.5 text-xs text-fog">
                    {feature}
                  </span>
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
