import { openWords } from '#rules/business/rooms.ts';
import { useBusiness, useRooms } from '#web/lib/business/business.ts';
import { DirectionsPhoto } from '#web/lib/business/directions-photo.tsx';
import { mapUrl, phoneUrl } from '#web/lib/paths.ts';

const row = 'flex flex-wrap justify-between gap-x-6 gap-y-1 border-b border-line py-4';
const link = 'font-bold underline decoration-edge underline-offset-4 transition-colors hover:text-signal';

/** Shows address, hours and contact. */
export function InfoTable() {
  const { address, directions, directionsPhoto, phone, email, instagram } = useBusiness();
  return (
    <dl className="self-start border-t border-line">
      <div className={row}>
        <dt className="text-dust">Address</dt>
        <dd className="text-right font-bold">
          <span className="block">{address}</span>
          <a href={mapUrl(address)} target="_blank" rel="noreferrer" className={link}>
            Open the map
          </a>
        </dd>
      </div>
      {directions === '' && directionsPhoto === '' ? null : (
        <div className={row}>
          <dt className="text-dust">Directions</dt>
          <dd className="max-w-prose space-y-4">
            {directions === '' ? null : <p className="whitespace-pre-line">{directions}</p>}
            <DirectionsPhoto />
          </dd>
        </div>
      )}
      <div className={row}>
        <dt className="text-dust">Hours</dt>
        <dd className="font-bold">{openWords(useRooms())}</dd>
      </div>
      <div className={row}>
        <dt className="text-dust">Contact</dt>
        <dd>
          <a href={`mailto:${email}`} className={link}>
            {email}
          </a>
        </dd>
      </div>
      {phone === '' ? null : (
        <div className={row}>
          <dt className="text-dust">Phone</dt>
          <dd>
            <a href={phoneUrl(phone)} className={link}>
              {phone}
            </a>
          </dd>
        </div>
      )}
      {instagram === '' ? null : (
        <div className={row}>
          <dt className="text-dust">Instagram</dt>
          <dd>
            <InstagramLink className={link} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Links to the Instagram account. Shows nothing if there is none. */
export function InstagramLink({ className }: { className: string }) {
  const { instagram } = useBusiness();
  if (instagram === '') return null;
  return (
    <a
      href={`https://www.instagram.com/${instagram.replace(/^@/, '')}/`}
      target="_blank"
      rel="noreferrer"
      className={className}
    >
      {instagram}
    </a>
  );
}
