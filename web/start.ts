import './styles.css';
import { hasStoredSession } from './lib/stored/stored-session.ts';
import { hideReadNotice } from './lib/business/read-notice.ts';
import { rememberPresses } from './replay.ts';
import { fetchPart, reloadOnce } from './ui/fetch-part.ts';

/**
 * This is the only script in the HTML. It lets the browser paint the pre-rendered page first. Then it fetches the whole program at once:
 * the parts in `data-parts`, and those in `data-client` if the visitor is signed in. build/site.ts sets both attributes. A part with a hash
 * after `#` is a style sheet: the browser checks the hash, and the program runs after the style sheet has loaded. At the end, the script
 * repeats a button press or form submit that happened meanwhile.
 */
hideReadNotice();
const presses = rememberPresses(document.getElementById('root'));

async function begin(): Promise<void> {
  const { parts = '', client = '' } = document.getElementById('root')?.dataset ?? {};
  const needed = `${parts} ${hasStoredSession(localStorage) ? client : ''}`.split(' ').filter(Boolean);
  const sheets: Promise<unknown>[] = [];
  for (const part of needed) {
    const [href = '', hash = ''] = part.split('#');
    const link = document.createElement('link');
    link.rel = hash ? 'stylesheet' : 'modulepreload';
    link.integrity = hash;
    link.href = href;
    document.head.append(link);
    // If the style sheet fails to load, the program still runs: the page keeps the styles in its HTML.
    if (hash) sheets.push(new Promise((loaded) => (link.onload = link.onerror = loaded)));
  }
  try {
    await Promise.all(sheets);
    await fetchPart(() => import('./main.tsx'));
  } catch {
    if (navigator.onLine && reloadOnce()) return;
    return showLoadFailure();
  }
  presses.replay();
}

/** Shows that the program could not be fetched, in a bar along the lower edge of the page. Must work without the program. */
function showLoadFailure(): void {
  const box = document.createElement('div');
  box.setAttribute('role', 'alert');
  box.className =
    'fixed inset-x-0 bottom-0 z-50 flex flex-wrap items-center gap-4 border-t-4 border-signal bg-booth p-4 text-chalk sm:px-8';
  const text = document.createElement('p');
  text.textContent = navigator.onLine
    ? 'This page could not be loaded completely. Nothing you booked or paid is lost.'
    : 'You seem to be offline. The page will finish loading when you’re back online.';
  const retryButton = document.createElement('button');
  retryButton.type = 'button';
  retryButton.className = 'min-h-12 border-2 border-transparent bg-signal px-6 font-bold text-ink';
  retryButton.textContent = 'Try again';
  const reload = (): void => window.location.reload();
  retryButton.addEventListener('click', reload);
  window.addEventListener('online', reload);
  box.append(text, retryButton);
  document.body.append(box);
}

/**
 * Maximum time to wait for the first paint, in milliseconds. A browser does not paint pages in the background, and may paint late when it
 * is busy.
 */
const PAINT_MS = 1_000;
/** Resolves when the first content is on the screen. A frame callback would run earlier, so its requests would compete with the paint. */
const waitForPaint = (): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, PAINT_MS);
    new PerformanceObserver((entries) => {
      if (entries.getEntriesByName('first-contentful-paint').length > 0) done();
    }).observe({ type: 'paint', buffered: true });
  });
// Without rendered content there is nothing to paint before the program runs.
if (document.getElementById('root')?.dataset['rendered'] === 'no') void begin();
else void waitForPaint().then(begin);
