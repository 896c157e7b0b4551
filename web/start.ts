import './styles.css';

/**
 * The first thing that runs, and the only script a page asks for by itself: what was printed is painted before anything
 * else may use the line, then the program is fetched, all its parts at once (`data-parts`, named by build/site.ts).
 * What somebody presses or sends meanwhile is not lost: it is done when the program is there.
 */
let pressed: HTMLElement | null = null;
let sent: HTMLFormElement | null = null;

function press(event: Event): void {
  pressed = event.target instanceof Element ? event.target.closest('button') : null;
}
function send(event: Event): void {
  event.preventDefault();
  sent = event.target instanceof HTMLFormElement ? event.target : null;
}
document.addEventListener('click', press, true);
document.addEventListener('submit', send, true);

async function begin(): Promise<void> {
  for (const part of document.getElementById('root')?.dataset['parts']?.split(' ') ?? []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = part;
    document.head.append(link);
  }
  await import('./main.tsx');
  document.removeEventListener('click', press, true);
  document.removeEventListener('submit', send, true);
  if (sent?.isConnected) sent.requestSubmit();
  else if (pressed?.isConnected && pressed.getAttribute('type') !== 'submit') pressed.click();
}

// A page in the background is never painted, and must not wait for it.
if (document.hidden) void begin();
else requestAnimationFrame(() => setTimeout(() => void begin()));
