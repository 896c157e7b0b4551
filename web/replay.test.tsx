import { afterEach, expect, test, vi } from 'vitest';
import { rememberPresses } from './replay.ts';

afterEach(() => document.body.replaceChildren());

/** Creates a page as the server sends it, and the page that the program renders. */
function page(rendered: 'whole' | 'first', button = '<button type="button">Any room</button>') {
  document.body.innerHTML = `<div id="root" data-rendered="${rendered}"><main>${button}</main></div>`;
  const root = document.getElementById('root') as HTMLElement;
  const onPress = vi.fn();
  const listen = (): void => root.querySelector('button')?.addEventListener('click', onPress);
  const press = (): void => root.querySelector('button')?.click();
  const draw = (): void => {
    root.innerHTML = `<main><button type="button">All rooms</button>${button}</main>`;
    root.querySelector('button:last-of-type')?.addEventListener('click', onPress);
  };
  return { root, onPress, listen, press, draw };
}

test('a press before the program runs is repeated where it takes the page over', () => {
  const { root, onPress, listen, press } = page('whole');
  const { replay } = rememberPresses(root);
  press();
  listen();
  replay();
  expect(onPress).toHaveBeenCalledTimes(1);
  press();
  expect(onPress).toHaveBeenCalledTimes(2);
});

test('where the program draws over the page, the button of the same text is pressed once it is drawn', async () => {
  const { root, onPress, press, draw } = page('first');
  const { replay } = rememberPresses(root);
  replay();
  // The program runs but has not rendered yet.
  press();
  expect(onPress).not.toHaveBeenCalled();
  draw();
  await vi.waitFor(() => expect(onPress).toHaveBeenCalledTimes(1));
});

test('a button that submits is not pressed again', () => {
  const { root, onPress, listen, press } = page('whole', '<button type="submit">Send</button>');
  const { replay } = rememberPresses(root);
  press();
  listen();
  replay();
  expect(onPress).not.toHaveBeenCalled();
});

test('where the mouse is down while the program draws over the page, the press is made when it comes up over the same button, and only there', async () => {
  for (const [over, presses] of [
    ['button:last-of-type', 1],
    ['button', 0],
  ] as const) {
    const { root, onPress, draw } = page('first');
    const point = (type: string, on: string): unknown =>
      root.querySelector(on)?.dispatchEvent(new Event(type, { bubbles: true }));
    const { replay } = rememberPresses(root);
    replay();
    point('pointerdown', 'button');
    draw();
    // The program notices its own rendering only after this task.
    await Promise.resolve();
    point('pointerup', over);
    expect(onPress).toHaveBeenCalledTimes(presses);
  }
});

test('a press that ended before the program ran is not made again when the mouse comes up later', async () => {
  const { root, onPress, draw } = page('first');
  const { replay } = rememberPresses(root);
  replay();
  root.querySelector('button')?.dispatchEvent(new Event('pointerdown', { bubbles: true }));
  root.querySelector('button')?.dispatchEvent(new Event('pointercancel', { bubbles: true }));
  draw();
  await Promise.resolve();
  root.querySelector('button:last-of-type')?.dispatchEvent(new Event('pointerup', { bubbles: true }));
  expect(onPress).not.toHaveBeenCalled();
});
