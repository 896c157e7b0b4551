import { useBusiness } from './business.ts';

/** Shows the photo that belongs to the directions. Shows nothing if there is none. The server reduces its size. */
export function DirectionsPhoto() {
  const { name, directionsPhoto: photo, directionsPhotoText: text } = useBusiness();
  if (photo === '') return null;
  const getAddress = (width: number): string =>
    `/storage/v1/render/image/public/rooms/${photo}?width=${width}&resize=contain&format=webp`;
  return (
    <img
      loading="lazy"
      src={getAddress(800)}
      srcSet={[480, 800, 1120].map((width) => `${getAddress(width)} ${width}w`).join(', ')}
      sizes="(min-width: 48rem) 36rem, 92vw"
      width={800}
      height={600}
      alt={text === '' ? `The way to ${name}` : text}
      className="aspect-[4/3] w-full bg-deck object-contain"
    />
  );
}
