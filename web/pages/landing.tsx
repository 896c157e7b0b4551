import { useState } from 'react';
import { Link } from 'react-router';
import { venue } from '#rules/venue.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';

export default function LandingPage() {
  return (
    <>
      <Navigation />
      <main>
        <Hero />
        <About />
      </main>
      <Link
        to={paths.booking}
        className="fixed right-4 bottom-4 z-10 bg-signal px-8 py-4 text-xl font-extrabold tracking-wide text-ink shadow-[0_10px_40px_#000] hover:bg-chalk sm:right-8 sm:bottom-8"
      >
        BOOK NOW
      </Link>
    </>
  );
}

const link = 'inline-flex min-h-11 items-center text-sm font-bold tracking-wider hover:text-signal';

function Navigation() {
  const { status, user, signOut } = useSession();
  const { open } = useAuthDialog();
  const [shown, setShown] = useState(false);
  return (
    <nav aria-label="Main" className="absolute inset-x-0 top-0 z-10 flex gap-6 px-4 py-3 sm:px-8">
      <button type="button" className={link} onClick={() => window.scrollTo({ top: 0 })}>
        HOME
      </button>
      <button type="button" className={link} onClick={() => document.getElementById('about')?.scrollIntoView()}>
        ABOUT US
      </button>
      {status === 'in' && user ? (
        // It only listens for the focus and Escape of the button and links inside it.
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
        <div
          className="relative"
          onBlur={(event) => (event.currentTarget.contains(event.relatedTarget) ? undefined : setShown(false))}
          onKeyDown={(event) => (event.key === 'Escape' ? setShown(false) : undefined)}
        >
          <button
            type="button"
            className={link}
            aria-expanded={shown}
            aria-haspopup="true"
            onClick={() => setShown(!shown)}
          >
            ACCOUNT
          </button>
          {shown ? (
            <div className="absolute top-full left-0 w-64 border border-line bg-booth p-2 shadow-2xl max-sm:-left-24">
              <p className="truncate px-3 py-2 text-sm text-fog">{user.email}</p>
              <Link to={paths.profile} className="block px-3 py-3 font-semibold hover:bg-deck">
                Account Settings
              </Link>
              <button
                type="button"
                className="block w-full px-3 py-3 text-left font-semibold hover:bg-deck"
                onClick={() => void signOut()}
              >
                Sign Out
              </button>
            </div>
          ) : null}
        </div>
      ) : (
        <button type="button" className={link} onClick={() => open('sign-in')}>
          SIGN IN
        </button>
      )}
    </nav>
  );
}

function Hero() {
  return (
    <section className="relative flex min-h-dvh flex-col justify-end overflow-hidden px-4 pb-28 sm:px-8">
      <Night />
      <div className="relative">
        <h1 className="text-[26vw] leading-[0.8] tracking-tighter sm:text-[19vw]">24/7</h1>
        <p className="mt-4 text-3xl font-extrabold uppercase [font-stretch:75%] sm:text-5xl">DJ Studios, Sydney</p>
        <p className="mt-3 max-w-md text-lg text-chalk/80">
          Three rooms, no reception, no closing time. Pick your hours, get a PIN, play.
        </p>
      </div>
    </section>
  );
}

/** A club at three in the morning: one deck, one beam, the haze. */
function Night() {
  return (
    <svg
      className="absolute inset-0 size-full"
      viewBox="0 0 800 900"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <defs>
        <linearGradient id="beam" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#ff5a2c" stopOpacity=".85" />
          <stop offset="1" stopColor="#ff5a2c" stopOpacity="0" />
        </linearGradient>
        <linearGradient id="floor" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#0b0b0c" stopOpacity="0" />
          <stop offset=".75" stopColor="#0b0b0c" />
        </linearGradient>
      </defs>
      <rect width="800" height="900" fill="#0b0b0c" />
      <path d="M520 -40 760 900H180Z" fill="url(#beam)" opacity=".5" />
      <path d="M540 -40 520 900H330Z" fill="url(#beam)" opacity=".35" />
      <circle cx="505" cy="360" r="236" fill="#0e0e10" />
      {[226, 206, 186, 166, 146, 126, 106].map((r) => (
        <circle key={r} cx="505" cy="360" r={r} fill="none" stroke="#2b2b2f" strokeWidth="2" />
      ))}
      <path d="M505 360 637 155A244 244 0 0 1 705 225Z" fill="#ff5a2c" opacity=".35" />
      <circle cx="505" cy="360" r="78" fill="#ff5a2c" />
      <circle cx="505" cy="360" r="9" fill="#0b0b0c" />
      <path d="M770 120 742 330 640 420" fill="none" stroke="#f5f3ef" strokeWidth="10" strokeLinecap="round" />
      <rect x="618" y="408" width="44" height="22" fill="#f5f3ef" transform="rotate(48 640 419)" />
      <rect y="400" width="800" height="500" fill="url(#floor)" />
    </svg>
  );
}

function About() {
  const rows: readonly (readonly [string, string])[] = [
    ['Address', venue.address],
    ['Hours', venue.hours],
    ['Contact', venue.email],
    ['Instagram', venue.instagram],
  ];
  return (
    <section id="about" className="mx-auto max-w-6xl px-4 py-24 pb-40 sm:px-8">
      <h2 className="text-6xl sm:text-8xl">{venue.tagline}</h2>
      <div className="mt-10 grid gap-10 md:grid-cols-2">
        <p className="max-w-prose text-lg text-fog">
          Three rooms: a full club rig, a vinyl room, a room with cameras. Each is yours alone by the hour, at any hour.
          You book, show your ID once, and pay by card; the door opens with your own PIN. Bring up to four friends.
        </p>
        <dl className="grid gap-px self-start bg-line">
          {rows.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-6 bg-night py-3">
              <dt className="text-dust">{name}</dt>
              <dd className="font-bold">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
