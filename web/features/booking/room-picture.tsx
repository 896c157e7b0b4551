/** The pictures art/rooms draws, by the last letter of the room's name. */
const DRAWN = ['a', 'b', 'c'];
const WIDTHS = [480, 800, 1120];
/** One column on a phone, three elsewhere, inside a page of 72rem at most. */
const SIZES = '(min-width: 72rem) 22rem, (min-width: 48rem) 30vw, 92vw';

/** The inside of a room, at night. A room nobody has drawn yet shows its letter. */
export function RoomPicture({ name }: { name: string }) {
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
      <source type="image/avif" srcSet={set('avif')} sizes={SIZES} />
      <img
        src={`/rooms/${letter}-800.webp`}
        srcSet={set('webp')}
        sizes={SIZES}
        width={1120}
        height={700}
        alt={`Inside ${name}`}
        className="aspect-[16/10] w-full bg-deck object-cover"
      />
    </picture>
  );
}
