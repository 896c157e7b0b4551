import { venue } from '#rules/venue.ts';

const row = 'flex flex-wrap justify-between gap-x-6 gap-y-1 border-b border-line py-4';
const link = 'font-bold underline decoration-edge underline-offset-4 transition-colors hover:text-signal';

/** Shows address, hours and contact. */
export function InfoTable() {
  return (
    <dl className="self-start border-t border-line">
      <div className={row}>
        <dt className="text-dust">Address</dt>
        <dd className="font-bold">{venue.address}</dd>
      </div>
      <div className={row}>
        <dt className="text-dust">Hours</dt>
        <dd className="font-bold">{venue.hours}</dd>
      </div>
      <div className={row}>
        <dt className="text-dust">Contact</dt>
        <dd>
          <a href={`mailto:${venue.email}`} className={link}>
            {venue.email}
          </a>
        </dd>
      </div>
      <div className={row}>
        <dt className="text-dust">Instagram</dt>
        <dd>
          <InstagramLink className={link} />
        </dd>
      </div>
    </dl>
  );
}

export function InstagramLink({ className }: { className: string }) {
  return (
    <a
      href={`https://www.instagram.com/${venue.instagram.replace(/^@/, '')}/`}
      target="_blank"
      rel="noreferrer"
      className={className}
    >
      {venue.instagram}
    </a>
  );
}
