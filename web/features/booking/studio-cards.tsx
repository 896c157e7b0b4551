import { formatMoney } from '#rules/money.ts';
import type { Studio } from './queries.ts';
import { StudioArt } from './studio-art.tsx';

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
    <div role="radiogroup" aria-label="Studio" className="grid gap-4 md:grid-cols-3">
      {studios.map((studio) => {
        const selected = studio.id === chosen;
        return (
          <button
            key={studio.id}
            type="button"
            role="radio"
            aria-checked={selected}
            onClick={() => onChoose(studio.id)}
            className={`group flex flex-col border-2 bg-booth text-left transition-colors ${selected ? 'border-signal' : 'border-booth hover:border-line'}`}
          >
            <StudioArt name={studio.name} className="aspect-[20/11] w-full" />
            <span className="flex grow flex-col gap-3 p-5">
              <span className="flex items-baseline justify-between gap-3">
                <span className="text-3xl font-extrabold uppercase [font-stretch:75%]">{studio.name}</span>
                <span className="text-sm font-bold text-signal">
                  from {formatMoney(Math.round(studio.hourly_rate * 100))}
                </span>
              </span>
              <span className="text-sm text-fog">{studio.description}</span>
              <span className="mt-auto flex flex-wrap gap-1.5 pt-2">
                {studio.features.map((feature) => (
                  <span key={feature} className="border border-line px-2 py-0.5 text-xs text-fog">
                    {feature}
                  </span>
                ))}
              </span>
              <span className={`text-sm font-bold ${selected ? 'text-signal' : 'text-dust group-hover:text-chalk'}`}>
                {selected ? 'Chosen' : 'Choose this room'}
              </span>
            </span>
          </button>
        );
      })}
    </div>
  );
}
