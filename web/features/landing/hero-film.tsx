import { useState } from 'react';
import { Mark } from '#web/ui/logo.tsx';
import { useFilm, useLoaded, useMedia } from './use-film.ts';

const cover = 'absolute inset-0 size-full object-cover object-center lg:object-[62%_50%]';

/**
 * Shows the film of the first page: its first frame at once, and the film after the page has loaded. There is a tall and a wide version.
 * Visitors who prefer reduced motion see only the first frame.
 */
export function HeroFilm() {
  const [playing, setPlaying] = useState(false);
  const loaded = useLoaded();
  const calm = useMedia('(prefers-reduced-motion: reduce)');
  const wide = useMedia('(min-width: 768px)');
  const name = wide ? 'wide' : 'tall';
  return (
    <>
      <picture>
        <source media="(min-width: 768px)" type="image/avif" srcSet="/hero/wide.avif" />
        <source media="(min-width: 768px)" srcSet="/hero/wide.jpg" />
        <source type="image/avif" srcSet="/hero/tall.avif" />
        <img src="/hero/tall.jpg" alt="" width="720" height="1280" fetchPriority="high" className={cover} />
      </picture>
      {loaded && !calm ? <Film key={name} name={name} onPlaying={setPlaying} /> : null}
      <Scrim />
      {playing ? null : <Waiting />}
    </>
  );
}

/** Darkens the film so that text over it stays readable. */
function Scrim() {
  return (
    <div
      aria-hidden="true"
      className="absolute inset-0 bg-linear-to-t from-night via-night/70 via-25% to-night/10 to-60% lg:bg-linear-to-tr lg:from-night/90 lg:via-night/25 lg:via-45% lg:to-transparent"
    />
  );
}

/** Shows the logo at the position of the clock in the picture, until the film plays. */
function Waiting() {
  return (
    <div
      aria-hidden="true"
      data-testid="film-logo"
      className="absolute top-[35%] left-1/2 -translate-1/2 motion-reduce:hidden lg:top-[43%] lg:left-[62%]"
    >
      <Mark className="size-[15.8dvh] text-chalk" />
    </div>
  );
}

function Film({ name, onPlaying }: { name: string; onPlaying: (yes: boolean) => void }) {
  const { video, paused, toggle } = useFilm(onPlaying);
  return (
    <>
      <video
        ref={video}
        muted
        loop
        playsInline
        preload="auto"
        aria-hidden="true"
        tabIndex={-1}
        data-film={name}
        className={cover}
      >
        <source src={`/hero/${name}.webm`} type='video/webm; codecs="vp9"' />
        <source src={`/hero/${name}.mp4`} type="video/mp4" />
      </video>
      <button
        type="button"
        onClick={toggle}
        aria-label={paused ? 'Play video' : 'Pause video'}
        className="absolute top-16 right-4 z-10 grid size-11 place-content-center border border-chalk/60 bg-night/60 text-chalk transition-colors hover:border-chalk hover:bg-night sm:right-8"
      >
        <svg viewBox="0 0 16 16" className="size-4" fill="currentColor" aria-hidden="true">
          {paused ? <path d="M3 1l11 7-11 7z" /> : <path d="M2 1h4v14H2zM10 1h4v14h-4z" />}
        </svg>
      </button>
    </>
  );
}
