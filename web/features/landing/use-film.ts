import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** The delay before a retry when autoplay is blocked, and the visible share of the film at which it plays. */
const RETRY_MS = 1_000;
const SEEN = 0.1;

/**
 * Keeps a film playing. Resumes it when the browser has paused it or when it scrolls back into view. Retries once after a second if
 * autoplay is blocked. Leaves it paused if the visitor has paused it.
 */
export function useFilm(onPlaying: (yes: boolean) => void): {
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly paused: boolean;
  readonly toggle: () => void;
} {
  const video = useRef<HTMLVideoElement>(null);
  const shouldPlay = useRef(true);
  const [paused, setPaused] = useState(false);

  useEffect(() => {
    const film = video.current;
    if (!film) return;
    // Browsers only autoplay muted video.
    film.muted = true;
    let seen = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const begin = (mayRetry: boolean): void => {
      if (!shouldPlay.current || !film.paused) return;
      film.play().catch(() => {
        if (mayRetry) retry = setTimeout(() => begin(false), RETRY_MS);
        else if (film.paused) setPaused(true);
      });
    };
    const running = (): void => {
      setPaused(false);
      onPlaying(true);
    };
    const stopped = (): void => {
      if (seen && !document.hidden) begin(false);
    };
    const shown = (): void => {
      if (seen && !document.hidden) begin(false);
    };
    const watch = new IntersectionObserver(
      ([entry]) => {
        const before = seen;
        seen = entry?.isIntersecting === true && entry.intersectionRatio >= SEEN;
        if (seen && !before) begin(true);
      },
      { threshold: [0, SEEN] },
    );
    film.addEventListener('playing', running);
    film.addEventListener('pause', stopped);
    document.addEventListener('visibilitychange', shown);
    watch.observe(film);
    return () => {
      clearTimeout(retry);
      watch.disconnect();
      film.removeEventListener('playing', running);
      film.removeEventListener('pause', stopped);
      document.removeEventListener('visibilitychange', shown);
      onPlaying(false);
    };
  }, [onPlaying]);

  function toggle(): void {
    const film = video.current;
    if (!film) return;
    shouldPlay.current = film.paused;
    setPaused(!shouldPlay.current);
    if (shouldPlay.current) film.play().catch(() => setPaused(true));
    else film.pause();
  }
  return { video, paused, toggle };
}

/** Whether a media query matches, updated on change; false during pre-rendering. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/** Whether the page has loaded. Decoration is fetched after that. */
export function useLoaded(): boolean {
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    const done = (): void => setLoaded(true);
    if (document.readyState === 'complete') done();
    else window.addEventListener('load', done, { once: true });
    return () => window.removeEventListener('load', done);
  }, []);
  return loaded;
}
