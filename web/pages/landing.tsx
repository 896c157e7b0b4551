import { useEffect } from 'react';
import { nameLines } from '#rules/business/business.ts';
import { countRooms } from '#rules/business/rooms.ts';
import { venue } from '#rules/venue.ts';
import { Footer } from '#web/features/landing/footer.tsx';
import { HowItWorks } from '#web/features/landing/how-it-works.tsx';
import { HeroFilm } from '#web/features/landing/hero-film.tsx';
import { InfoTable } from '#web/features/landing/info-table.tsx';
import { Navigation } from '#web/features/landing/navigation.tsx';
import { RoomLinks } from '#web/features/landing/room-links.tsx';
import { Rooms } from '#web/features/landing/rooms.tsx';
import { RoomPicture } from '#web/features/studios/room-picture.tsx';
import { useBusiness, useRooms } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useLocation } from '#web/router/router.tsx';

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The width of a room's picture: one of three columns, or the full screen of a phone. */
const WIDTH = '(min-width: 48rem) 31vw, 92vw';

/** Milliseconds before scrolling, because the section must be laid out first. */
const SCROLL_MS = 100;

export default function LandingPage() {
  const { hash } = useLocation();
  const business = useBusiness();
  useEffect(() => {
    if (hash !== '#about') return;
    const timer = setTimeout(() => document.getElementById('about')?.scrollIntoView(), SCROLL_MS);
    return () => clearTimeout(timer);
  }, [hash]);
  return (
    <>
      <title>{`${business.name}, Sydney`}</title>
      <Navigation over />
      <main>
        <Hero />
        <About />
        <Link
          to={paths.booking}
          data-along-edge="button"
          className="poster fixed right-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-10 border-2 border-transparent bg-signal px-8 py-4 text-2xl leading-none tracking-wide text-ink shadow-[0_10px_40px_#000] hover:bg-chalk sm:right-8 sm:bottom-8 sm:px-12 sm:py-6 sm:text-3xl short:bottom-3 short:px-6 short:py-3 short:text-xl"
        >
          BOOK NOW
        </Link>
      </main>
      <Footer clear />
    </>
  );
}

function Hero() {
  const rooms = useRooms();
  const [line, rest] = nameLines(useBusiness().name);
  const [first, last] = line.split('/');
  const size =
    line.length > 5
      ? 'text-[min(21vw,20svh)] lg:text-[min(13vw,30svh)]'
      : 'text-[min(42vw,27svh)] lg:text-[min(22vw,44svh)]';
  return (
    <section className="relative isolate flex min-h-svh flex-col justify-end overflow-hidden px-4 pt-24 pb-28 sm:px-8 sm:pb-36 lg:pb-12 short:pt-16 short:pb-20">
      <HeroFilm />
      <div className="relative">
        <h1>
          <span className={`block ${size} leading-[0.76] font-black tracking-[-0.045em] [font-stretch:62%]`}>
            {first}
            {last === undefined ? null : <span className="text-signal">/</span>}
            {last}
          </span>
          <span className="mt-4 block text-4xl leading-none sm:mt-6 sm:text-6xl short:mt-3 short:text-4xl">
            {rest === '' ? 'Sydney' : `${rest}, Sydney`}
          </span>
        </h1>
        <p className="mt-3 max-w-md text-lg text-chalk">
          {capital(countRooms(rooms))}, no reception, no closing time. Pick your hours, get a PIN, play.
        </p>
        <RoomLinks />
      </div>
    </section>
  );
}

function About() {
  return (
    <section id="about" aria-label="About us" className="px-4 py-24 sm:px-8 sm:py-32">
      <h2 className="text-poster leading-[0.86]">
        {venue.tagline.split('. ').map((part, index, all) => (
          <span key={part} className="block">
            {index < all.length - 1 ? `${part}. ` : part}
          </span>
        ))}
      </h2>
      <div className="mt-16">
        <Rooms picture={(room) => <RoomPicture name={room.name} photo={room.photo} sizes={WIDTH} lazy />} />
      </div>
      <div className="mt-24 sm:mt-32">
        <HowItWorks />
      </div>
      <div className="mt-24 grid gap-12 sm:mt-32 md:grid-cols-2 md:gap-8">
        <p className="max-w-prose text-xl leading-relaxed text-fog">
          {capital(countRooms(useRooms()))} full of the equipment you know, each yours alone by the hour: to perform,
          practise, record or make content. You book, show your ID once and pay by card; the door opens with your own
          PIN. Bring up to four friends.
        </p>
        <InfoTable />
      </div>
    </section>
  );
}
