/** The pictures tools/art/rooms draws, by the last letter of the room's name. */
const DRAWN = ['a', 'b', 'c'];
const WIDTHS = [480, 800, 1120];
/** On a card: one column on a phone, three elsewhere, inside a page of 72rem at most. */
const ON_CARD = '(min-width: 72rem) 22rem, (min-width: 48rem) 30vw, 92vw';

/** The inside of a room, at night. A room nobody has drawn yet shows its letter. */
export function RoomPicture({
  name,
  sizes = ON_CARD,
  lazy = false,
  first = false,
}: {
  name: string;
  sizes?: string;
  /** Fetched only where it is seen. */
  lazy?: boolean;
  /** Seen before any other: fetched before them. */
  first?: boolean;
}) {
  const letter = name.trim().at(-1)?.toLowerCase() ?? '';
  if (!DRAWN.includes(letter)) {
    return (
      <span aria-hidden="true" className="poster grid aspect-[16/10] place-content-center bg-deck text-9xl text-signal">
        {letter}
      </span>
    );
  }
  const set = (type: 'avif' | 'webp'): string =>
    WIDTHS.map((width) => `/rooms/${letter}-${width}.${type} ${width}w`).join(', ');
  return (
    <picture>
      <source type="image/avif" srcSet={set('avif')} sizes={sizes} />
      <img
        loading={lazy ? 'lazy' : 'eager'}
        fetchPriority={first ? 'high' : 'low'}
        src={`/rooms/${letter}-800.webp`}
        srcSet={set('webp')}
        sizes={sizes}
        width={1120}
        height={700}
        alt={`Inside ${name}`}
        className="aspect-[16/10] w-full bg-deck object-cover"
      />
    </picture>
  );
}
