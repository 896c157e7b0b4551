import { useEffect } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { venue } from '#rules/venue.ts';
import { AccountMenu } from '#web/features/landing/account-menu.tsx';
import { Night } from '#web/features/landing/night.tsx';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { Mark } from '#web/ui/logo.tsx';

/** The section is laid out only then (spec section 2). */
const SCROLL_MS = 100;

export default function LandingPage() {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== '#about') return;
    const timer = setTimeout(() => document.getElementById('about')?.scrollIntoView(), SCROLL_MS);
    return () => clearTimeout(timer);
  }, [hash]);
  return (
    <>
      <title>{`${venue.name}, Sydney`}</title>
      <Navigation />
      <main>
        <Hero />
        <About />
        <Link
          to={paths.booking}
          className="fixed right-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-10 bg-signal px-8 py-4 text-2xl font-extrabold tracking-wide text-ink shadow-[0_10px_40px_#000] [font-stretch:75%] transition-colors hover:bg-chalk sm:right-8 sm:bottom-8 sm:px-12 sm:py-5 sm:text-3xl"
        >
          BOOK NOW
        </Link>
      </main>
    </>
  );
}

const link = 'inline-flex min-h-11 items-center text-sm font-bold tracking-wider hover:text-signal';

function Navigation() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  return (
    <header className="absolute inset-x-0 top-0 z-10 flex items-center justify-between px-4 py-3 sm:px-8">
      <nav aria-label="Main" className="flex gap-5 sm:gap-7">
        <button
          type="button"
          className={link}
          onClick={() => (pathname === paths.home ? window.scrollTo({ top: 0 }) : void navigate(paths.home))}
        >
          HOME
        </button>
        <button type="button" className={link} onClick={() => document.getElementById('about')?.scrollIntoView()}>
          ABOUT US
        </button>
        {status === 'in' && user ? (
          <AccountMenu email={user.email ?? ''} buttonClass={link} />
        ) : (
          <button type="button" className={link} onClick={() => open('sign-in')}>
            SIGN IN
          </button>
        )}
      </nav>
      <Mark className="size-9 text-signal" />
    </header>
  );
}

function Hero() {
  return (
    <section className="relative flex min-h-dvh flex-col justify-end overflow-hidden px-4 pb-28 sm:px-8 sm:pb-14">
      <Night />
      <div className="relative">
        <h1 className="text-chalk">
          <span className="block text-[min(46vw,30dvh)] leading-[0.76] font-black tracking-[-0.045em] [font-stretch:62%] lg:text-[min(24vw,48dvh)]">
            24<span className="text-signal">/</span>7
          </span>
          <span className="mt-5 block text-4xl leading-none sm:text-6xl">DJ Studios, Sydney</span>
        </h1>
        <p className="mt-3 max-w-md text-lg text-chalk/85">
          Three rooms, no reception, no closing time. Pick your hours, get a PIN, play.
        </p>
      </div>
    </section>
  );
}

const ROOMS = [
  { letter: 'A', name: 'The club rig', text: 'Four decks on a raised booth, four-point sound, room for five.' },
  { letter: 'B', name: 'The vinyl room', text: 'Two turntables, a rotary mixer, and quiet enough to record.' },
  { letter: 'C', name: 'The camera room', text: 'Three cameras, soft light, and your set leaves as a video.' },
] as const;

function About() {
  const rows: readonly (readonly [string, string])[] = [
    ['Address', venue.address],
    ['Hours', venue.hours],
    ['Contact', venue.email],
    ['Instagram', venue.instagram],
  ];
  return (
    <section id="about" aria-label="About us" className="px-4 pt-24 pb-40 sm:px-8 sm:pt-32">
      <h2 className="text-[17vw] leading-[0.86] sm:text-[11.5vw]">{venue.tagline}</h2>
      <ul className="mt-16 grid border-t border-line md:grid-cols-3 md:divide-x md:divide-line">
        {ROOMS.map((room) => (
          <li
            key={room.letter}
            className="flex gap-5 border-b border-line py-7 md:block md:border-b-0 md:px-8 md:py-8 md:first:pl-0"
          >
            <span className="block text-8xl leading-[0.8] font-black text-signal [font-stretch:62%] md:text-9xl">
              {room.letter}
            </span>
            <div className="md:mt-7">
              <h3 className="text-2xl">{room.name}</h3>
              <p className="mt-2 max-w-xs text-fog">{room.text}</p>
            </div>
          </li>
        ))}
      </ul>
      <div className="mt-16 grid gap-12 md:grid-cols-2 md:gap-8">
        <p className="max-w-prose text-xl leading-relaxed text-fog">
          Three rooms full of the equipment you know, each yours alone by the hour: to perform, practise, record or make
          content. You book, show your ID once and pay by card; the door opens with your own PIN. Bring up to four
          friends.
        </p>
        <dl className="self-start border-t border-line">
          {rows.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-6 border-b border-line py-4">
              <dt className="text-dust">{name}</dt>
              <dd className="font-bold">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
