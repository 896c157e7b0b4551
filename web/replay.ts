/**
 * Remembers the last press of a button and the last form that was sent before the program runs, and repeats them once it has drawn the page. A page that
 * is drawn over has other elements then: the one button with the same text is pressed.
 */
export function rememberPresses(root: HTMLElement | null): { readonly replay: () => void } {
  let pressed: HTMLElement | null = null;
  let sent: HTMLFormElement | null = null;
  function rememberPress(event: Event): void {
    pressed = event.target instanceof Element ? event.target.closest('button') : null;
  }
  function rememberSubmit(event: Event): void {
    event.preventDefault();
    sent = event.target instanceof HTMLFormElement ? event.target : null;
  }
  document.addEventListener('click', rememberPress, true);
  document.addEventListener('submit', rememberSubmit, true);

  function repeat(): void {
    document.removeEventListener('click', rememberPress, true);
    document.removeEventListener('submit', rememberSubmit, true);
    if (sent?.isConnected) return sent.requestSubmit();
    const button = pressed?.isConnected === false ? successorOf(pressed) : pressed;
    if (button && button.getAttribute('type') !== 'submit') button.click();
  }
  return {
    replay() {
      const before = root?.firstElementChild;
      if (!root || !before || root.dataset['rendered'] === 'whole') return repeat();
      // Presses until it is drawn still meet the old elements.
      const observer = new MutationObserver(() => {
        if (before.isConnected) return;
        observer.disconnect();
        repeat();
      });
      return observer.observe(root, { childList: true });
    },
  };
}

function successorOf(button: HTMLElement): HTMLElement | undefined {
  const [same, ...others] = [...document.querySelectorAll('button')].filter(
    (one) => one.textContent === button.textContent,
  );
  return others.length === 0 ? same : undefined;
}
