import { type KeyboardEvent, memo, useState } from 'react';
import type { SiteRoom } from '#rules/business/rooms.ts';
import { formatMoney } from '#rules/money.ts';
import { Chip } from '#web/ui/chip.tsx';
import { RoomPicture } from './room-picture.tsx';

/** The fields of a room that a card shows. `fromCents`: its lowest price of an hour today. */
export type CardRoom = Pick<SiteRoom, 'id' | 'name' | 'description' | 'features' | 'photo' | 'fromCents'>;

const STEP: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Shows the rooms as radio buttons. Arrow keys move and choose. The whole card is the radio button, because an input laid over it would
 * catch the pointer. On a phone, the cards fold into a row of names once a room is chosen, so that day and hours are near.
 */
export const StudioCards = memo(function StudioCards({
  studios,
  chosen,
  onChoose,
}: {
  studios: readonly CardRoom[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const [unfolded, setUnfolded] = useState(false);
  const folded = chosen !== null && !unfolded;
  const choose = (id: string): void => {
    setUnfolded(false);
    onChoose(id);
  };
  const walk = (event: KeyboardEvent<HTMLElement>, from: number): void => {
    const step = STEP[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = (from + step + studios.length) % studios.length;
    const studio = studios[to];
    if (studio) choose(studio.id);
    const card = event.currentTarget.parentElement?.children[to];
    if (card instanceof HTMLElement) card.focus();
  };
  return (
    <>
      <div
        role="radiogroup"
        aria-label="Studio"
        className={`grid min-w-0 gap-4 md:grid-cols-3 ${folded ? 'max-md:auto-cols-[minmax(6.5rem,1fr)] max-md:grid-flow-col max-md:gap-2 max-md:overflow-x-auto' : ''}`}
      >
        {studios.map((studio, index) => (
          <Card
            key={studio.id}
            studio={studio}
            selected={studio.id === chosen}
            folded={folded}
            at={index}
            stop={studio.id === chosen || (index === 0 && chosen === null)}
            onChoose={() => choose(studio.id)}
            onKey={(event) => walk(event, index)}
          />
        ))}
      </div>
      {folded ? (
        <button
          type="button"
          onClick={() => setUnfolded(true)}
          className="min-h-11 text-sm text-fog underline decoration-edge underline-offset-4 hover:text-chalk md:hidden"
        >
          Compare the rooms
        </button>
      ) : null}
    </>
  );
});

function Card({
  studio,
  selected,
  folded,
  at,
  stop,
  onChoose,
  onKey,
}: {
  studio: CardRoom;
  selected: boolean;
  /** Whether only the name is shown, as on a phone. */
  folded: boolean;
  at: number;
  /** Whether Tab reaches the card. */
  stop: boolean;
  onChoose: () => void;
  onKey: (event: KeyboardEvent<HTMLElement>) => void;
}) {
  const detail = folded ? 'max-md:hidden' : '';
  return (
    <button
      type="button"
      role="radio"
      aria-checked={selected}
      tabIndex={stop ? 0 : -1}
      onClick={onChoose}
      onKeyDown={onKey}
      aria-labelledby={`studio-${studio.id}`}
      aria-describedby={`about-${studio.id}`}
      className={`group flex cursor-pointer flex-col border-2 bg-booth text-left transition-colors focus-visible:outline-3 focus-visible:outline-offset-3 focus-visible:outline-signal ${selected ? 'border-signal forced-colors:border-4 forced-colors:border-[Highlight]' : 'border-booth hover:border-edge forced-colors:border-[CanvasText]'}`}
    >
      <span className={`contents ${detail}`}>
        <RoomPicture name={studio.name} photo={studio.photo} first={at === 0} />
      </span>
      <span className={`flex grow flex-col gap-3 p-5 ${folded ? 'max-md:justify-center max-md:p-3' : ''}`}>
        <span className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
          <span
            id={`studio-${studio.id}`}
            className={`poster whitespace-nowrap md:max-lg:text-2xl ${folded ? 'text-xl md:text-3xl' : 'text-3xl'}`}
          >
            {studio.name}
          </span>
          <span className={`text-sm font-bold whitespace-nowrap text-signal tabular-nums ${detail}`}>
            from {formatMoney(studio.fromCents)}
          </span>
        </span>
        <span id={`about-${studio.id}`} className={`text-sm text-fog ${detail}`}>
          {studio.description}
        </span>
        <span className={`mt-auto flex flex-wrap gap-1.5 pt-1 ${detail}`}>
          {studio.features.map((feature) => (
            <Chip key={feature}>{feature}</Chip>
          ))}
        </span>
        <span
          aria-hidden="true"
          className={`text-sm font-bold ${detail} ${selected ? 'text-signal' : 'text-fog group-hover:text-chalk'}`}
        >
          {selected ? 'Chosen' : 'Choose this room'}
        </span>
      </span>
    </button>
  );
}
