import { useBusiness } from './business.ts';

/** Shows the photo beside the directions; nothing when there is none. The server makes it small. */
export function DirectionsPhoto() {
  const { name, directionsPhoto: photo, directionsPhotoText: text } = useBusiness();
  if (photo === '') return null;
  const addressOf = (width: number): string =>
    `/storage/v1/render/image/public/rooms/${photo}?width=${width}&resize=contain&format=webp`;
  return (
    <img
      loading="lazy"
      src={addressOf(800)}
      srcSet={[480, 800, 1120].map((width) => `${addressOf(width)} ${width}w`).join(', ')}
      sizes="(min-width: 48rem) 36rem, 92vw"
      width={800}
      height={600}
      alt={text === '' ? `The way to ${name}` : text}
      className="aspect-[4/3] w-full bg-deck object-contain"
    />
  );
}

/** Tells people with a booking how to find the door; nothing while staff have not written it. */
export function FindUs() {
  const { address, directions, directionsPhoto } = useBusiness();
  if (directions === '' && directionsPhoto === '') return null;
  return (
    <section className="mt-8" aria-labelledby="find-us">
      <h2 id="find-us" className="text-3xl">
        How to find us
      </h2>
      <p className="mt-3 font-bold">{address}</p>
      {directions === '' ? null : <p className="mt-2 mb-4 max-w-prose whitespace-pre-line text-fog">{directions}</p>}
      <DirectionsPhoto />
    </section>
  );
}
