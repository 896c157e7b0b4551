import { useRooms } from '#web/lib/business/business.ts';
import { RoomPicture } from './room-picture.tsx';

/** The picture of a booking's room, as wide as the text. */
export function PictureOfRoom({ name }: { name: string }) {
  const photo = useRooms().find((room) => room.name === name)?.photo ?? null;
  return <RoomPicture name={name} photo={photo} sizes="(min-width: 42rem) 38rem, 92vw" />;
}
