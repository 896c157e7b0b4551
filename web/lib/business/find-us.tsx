import { useBusiness } from './business.ts';
import { DirectionsPhoto } from './directions-photo.tsx';

/** Explains to people with a booking how to find the door. Shows nothing until staff have written directions. */
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
