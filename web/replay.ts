/**
 * Remembers the last button press and the last form submit before the program runs, and repeats them once the program has rendered the
 * page. If the page was replaced, its elements are new; then the only button with the same text is pressed. If the mouse button is held
 * down over a button at that moment, the browser reports no click on either element, so the press happens when the mouse button is released
 * over the new one.
 */
export function rememberPresses(root: HTMLElement | null): { readonly replay: () => void } {
  let pressed: HTMLElement | null = null;
  let pointed: HTMLElement | null = null;
  let sent: HTMLFormElement | null = null;
  function rememberPress(event: Event): void {
    pressed = closestButton(event);
  }
  function rememberPointer(event: Event): void {
    pointed = event.type === 'pointerdown' ? closestButton(event) : null;
  }
  function rememberSubmit(event: Event): void {
    event.preventDefault();
    sent = event.target instanceof HTMLFormElement ? event.target : null;
  }
  document.addEventListener('click', rememberPress, true);
  document.addEventListener('submit', rememberSubmit, true);
  for (const type of POINTER_EVENTS) document.addEventListener(type, rememberPointer, true);

  function repeat(): void {
    document.removeEventListener('click', rememberPress, true);
    document.removeEventListener('submit', rememberSubmit, true);
    for (const type of POINTER_EVENTS) document.removeEventListener(type, rememberPointer, true);
    if (sent?.isConnected) return sent.requestSubmit();
    if (pointed?.isConnected === false) return pressOnRelease(pointed);
    press(pressed?.isConnected === false ? findSuccessor(pressed) : pressed);
  }
  return {
    replay() {
      const before = root?.firstElementChild;
      if (!root || !before || root.dataset['rendered'] === 'whole') return repeat();
      // Until the page is rendered, presses still meet the old elements.
      const observer = new MutationObserver(() => {
        if (before.isConnected) return;
        observer.disconnect();
        repeat();
      });
      return observer.observe(root, { childList: true });
    },
  };
}

const POINTER_EVENTS = ['pointerdown', 'pointerup', 'pointercancel'];

function closestButton({ target }: Event): HTMLElement | null {
  return target instanceof Element ? target.closest('button') : null;
}

/** Presses a button, unless it submits a form, because forms are submitted again separately. */
function press(button: HTMLElement | null | undefined): void {
  if (button && button.getAttribute('type') !== 'submit') button.click();
}

/** Waits until the mouse button is released, and presses the successor of `pointed` if the mouse is over it then. */
function pressOnRelease(pointed: HTMLElement): void {
  const release = (event: Event): void => {
    const button = closestButton(event);
    if (button === findSuccessor(pointed)) press(button);
  };
  document.addEventListener('pointerup', release, { capture: true, once: true });
}

function findSuccessor(button: HTMLElement): HTMLElement | undefined {
  const [same, ...others] = [...document.querySelectorAll('button')].filter(
    (candidate) => candidate.textContent === button.textContent,
  );
  return others.length === 0 ? same : undefined;
}
