import { countRooms } from '#rules/business/rooms.ts';
import { fillText } from '#rules/business/business.ts';
import { venue } from '#rules/venue.ts';
import { InfoTable } from '#web/features/landing/info-table.tsx';
import { NotifyForm } from '#web/features/landing/notify-form.tsx';
import { PublicFrame } from '#web/features/landing/public-frame.tsx';
import { Rooms } from '#web/features/landing/rooms.tsx';
import { RoomPicture } from '#web/features/studios/room-picture.tsx';
import { useBusiness, useRooms } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';

/** The width of a room's picture: one of three columns, or the full screen of a phone. */
const WIDTH = '(min-width: 48rem) 31vw, 92vw';

const STEPS = [
  [
    'Pick',
    'a room and your hours, up to 24 of them, at any time of the day. Save 10% on three hours, 15% on four or more.',
  ],
  ['Show', 'an Australian driver licence, once. You must be 18 or older.'],
  ['Pay', 'by card. Cancel at least {cancelHours} hours before you start and you get it all back.'],
  ['Play', 'with your own PIN for the door. We email it 15 minutes before you start. Up to five people can come.'],
] as const;

export default function AboutPage() {
  const business = useBusiness();
  return (
    <PublicFrame title="About us" lead={<p>{venue.tagline}</p>}>
      <div className="mt-12 grid gap-12 sm:mt-16 md:grid-cols-2 md:gap-8">
        <div className="max-w-prose space-y-4 text-xl leading-relaxed text-fog">
          <p>
            {business.name} is {countRooms(useRooms())} in Sydney full of the gear clubs use. There’s no front desk and
            no closing time: you let yourself in, and the room is all yours until your last hour ends.
          </p>
          <p>Perform, practise, record, make content.</p>
        </div>
        <InfoTable />
      </div>
      <h2 className="mt-20 text-title">The rooms</h2>
      <div className="mt-8">
        <Rooms picture={(room) => <RoomPicture name={room.name} photo={room.photo} sizes={WIDTH} lazy />} />
      </div>
      <h2 className="mt-20 text-title">How it works</h2>
      <ol className="mt-8 grid border-t border-line sm:grid-cols-2 lg:grid-cols-4 lg:gap-x-8">
        {STEPS.map(([word, text]) => (
          <li key={word} className="border-b border-line py-6 sm:pr-8">
            <p className="poster text-3xl text-signal">{word}</p>
            <p className="mt-2 max-w-xs text-fog">{fillText(text, business)}</p>
          </li>
        ))}
      </ol>
      <Link to={paths.booking} className={`${buttonStyle.signal} mt-12`}>
        Book a studio
      </Link>
      <section id="news" aria-labelledby="news-title" className="mt-20 scroll-mt-8">
        <h2 id="news-title" className="text-title">
          News by email
        </h2>
        <p className="mt-4 mb-6 max-w-prose text-fog">What’s new in the rooms, now and then.</p>
        <NotifyForm about="our news" />
      </section>
    </PublicFrame>
  );
}
