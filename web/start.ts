import './styles.css';
import { hasStoredSession } from './lib/stored/stored-session.ts';
import { hideReadNotice } from './lib/business/read-notice.ts';
import { fetchPart, reloadOnce } from './ui/fetch-part.ts';

/**
 * The only script in the HTML. Lets the browser paint the pre-rendered page first, then fetches the program with all its parts at once
 * (`data-parts`, and `data-client` for somebody who is signed in; both set by build/site.ts). Replays a press or a submit that happened meanwhile.
 */
let pressed: HTMLElement | null = null;
let sent: HTMLFormElement | null = null;

function rememberPress(event: Event): void {
  pressed = event.target instanceof Element ? event.target.closest('button') : null;
}
function rememberSubmit(event: Event): void {
  event.preventDefault();
  sent = event.target instanceof HTMLFormElement ? event.target : null;
}
hideReadNotice();
document.addEventListener('click', rememberPress, true);
document.addEventListener('submit', rememberSubmit, true);

async function begin(): Promise<void> {
  const { parts = '', client = '' } = document.getElementById('root')?.dataset ?? {};
  for (const part of `${parts} ${hasStoredSession(localStorage) ? client : ''}`.split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = part;
    document.head.append(link);
  }
  try {
    await fetchPart(() => import('./main.tsx'));
  } catch {
    if (navigator.onLine && reloadOnce()) return;
    return showLoadFailure();
  }
  document.removeEventListener('click', rememberPress, true);
  document.removeEventListener('submit', rememberSubmit, true);
  if (sent?.isConnected) sent.requestSubmit();
  else if (pressed?.isConnected && pressed.getAttribute('type') !== 'submit') pressed.click();
}

/** Shows, without the program, that it could not be fetched: along the lower edge of the page. */
function showLoadFailure(): void {
  const box = document.createElement('div');
  box.setAttribute('role', 'alert');
  box.className =
    'fixed inset-x-0 bottom-0 z-50 flex flex-wrap items-center gap-4 border-t-4 border-signal bg-booth p-4 text-chalk sm:px-8';
  const text = document.createElement('p');
  text.textContent = navigator.onLine
    ? 'This page could not be loaded completely. Nothing you booked or paid is lost.'
    : 'You seem to be offline. The page will finish loading when you’re back online.';
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'min-h-12 border-2 border-transparent bg-signal px-6 font-bold text-ink';
  again.textContent = 'Try again';
  const reload = (): void => window.location.reload();
  again.addEventListener('click', reload);
  window.addEventListener('online', reload);
  box.append(text, again);
  document.body.append(box);
}

// A background tab is never painted, so do not wait for a frame.
if (document.hidden) void begin();
else requestAnimationFrame(() => setTimeout(() => void begin()));
