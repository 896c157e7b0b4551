import { afterEach, expect, test, vi } from 'vitest';
import { rememberPresses } from './replay.ts';

afterEach(() => document.body.replaceChildren());

/** A page as the server sends it, and what the program draws. */
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
  // The program runs, and has not drawn yet.
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
