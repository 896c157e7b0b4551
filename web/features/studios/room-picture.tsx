import { roomPicture } from '#rules/business/room-picture.ts';
import { roomSign } from '#rules/business/rooms.ts';

const WIDTHS = [480, 800, 1120];
/** Image sizes on a card: one column on a phone, otherwise three columns on a page that is at most 72rem wide. */
const ON_CARD = '(min-width: 72rem) 22rem, (min-width: 48rem) 30vw, 92vw';

/** Shows a picture of a room, or the room's letter if it has none. `photo`: see rules/business/rooms.ts. */
export function RoomPicture({
  name,
  photo,
  sizes = ON_CARD,
  lazy = false,
  first = false,
}: {
  name: string;
  photo: string | null;
  sizes?: string;
  /** Loads the picture only when it scrolls into view. */
  lazy?: boolean;
  /** Loads the picture with high priority, because it is the first one on the page. */
  first?: boolean;
}) {
  if (photo === null)
    return (
      <span aria-hidden="true" className="poster grid aspect-[16/10] place-content-center bg-deck text-9xl text-signal">
        {roomSign(name)}
      </span>
    );
  const set = (type: 'avif' | 'webp'): string =>
    WIDTHS.map((width) => `${roomPicture(photo, width, type)} ${width}w`).join(', ');
  return (
    <picture>
      <source type="image/avif" srcSet={set('avif')} sizes={sizes} />
      <img
        loading={lazy ? 'lazy' : 'eager'}
        fetchPriority={first ? 'high' : 'low'}
        src={roomPicture(photo, 800, 'webp')}
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
