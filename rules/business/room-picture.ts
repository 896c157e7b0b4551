/** Matches the name of a picture in web/public/rooms. */
const DRAWN = /^drawn-([abc])$/;

/**
 * Returns the path of a room's picture in a width; its aspect ratio is 8:5. The server crops and compresses photos that staff have
 * uploaded. `photo`: see rooms.ts.
 */
export function roomPicture(photo: string, width: number, type: 'avif' | 'webp'): string {
  const [, letter] = DRAWN.exec(photo) ?? [];
  return letter === undefined ? `${uploaded(photo, width)}&format=${type}` : `/rooms/${letter}-${width}.${type}`;
}

/** Returns the path of a room's picture for mails, 8:5 and 1120 px wide, in a format that all mail programs can read. */
export function mailPicture(photo: string): string {
  const [, letter] = DRAWN.exec(photo) ?? [];
  return letter === undefined ? `${uploaded(photo, 1_120)}&format=origin` : `/rooms/mail/${letter}.jpg`;
}

const uploaded = (photo: string, width: number): string =>
  `/storage/v1/render/image/public/rooms/${photo}?width=${width}&height=${Math.round((width * 10) / 16)}&resize=cover`;
