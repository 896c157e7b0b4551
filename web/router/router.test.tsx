import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { Link, Redirect, Router, useLocation, useNavigate, useSearchParams } from './router.tsx';

const user = userEvent.setup({ delay: null });
let navigate: ReturnType<typeof useNavigate>;
let replaceSearch: ReturnType<typeof useSearchParams>[1];
function Page() {
  const [go, [, setSearch]] = [useNavigate(), useSearchParams()];
  useEffect(() => {
    navigate = go;
    replaceSearch = setSearch;
  });
  const { pathname, search, hash, state, kind, opened } = useLocation();
  return (
    <>
      <p>{`${pathname}${search}${hash} ${JSON.stringify(state)} ${kind}${opened ? ' opened' : ''}`}</p>
      <Link to="/booking" state="from a link">
        Book
      </Link>
    </>
  );
}
const page = (): string | null => screen.getByRole('paragraph').textContent;
const link = (): HTMLElement => screen.getByText('Book');
const show = (at?: string) =>
  render(
    <Router {...(at === undefined ? {} : { at })}>
      <Page />
    </Router>,
  );

beforeEach(() => window.history.replaceState(null, '', '/'));

test('a press on a link shows its address with its state, and adds a step to the history', async () => {
  const steps = window.history.length;
  show();
  expect(page()).toBe('/ null pop opened');
  await user.click(link());
  expect(page()).toBe('/booking "from a link" push');
  expect(window.location.pathname).toBe('/booking');
  expect(window.history.length).toBe(steps + 1);
});

test('a press on a link to the address that is shown adds no step to the history', async () => {
  window.history.replaceState(null, '', '/booking');
  const steps = window.history.length;
  show();
  await user.click(link());
  expect(page()).toBe('/booking "from a link" replace');
  expect(window.history.length).toBe(steps);
});

test.each(['{Control>}', '{Shift>}', '{Meta>}', '{Alt>}'])(
  'a press on a link with %s is left to the browser',
  async (key) => {
    show('/');
    const notPrevented = new Promise<boolean>((done) =>
      document.addEventListener(
        'click',
        (event) => {
          done(!event.defaultPrevented);
          event.preventDefault();
        },
        { once: true },
      ),
    );
    await user.keyboard(key);
    await user.click(link());
    await user.keyboard(key.replace('{', '{/').replace('>', ''));
    expect(await notPrevented).toBe(true);
    expect(page()).toBe('/ null pop opened');
  },
);

test('Back and a reload show the address and the state of their step', async () => {
  const { unmount } = show();
  await user.click(link());
  // This is what the browser does after Back.
  const before = window.history.state;
  window.history.replaceState({ passed: 'earlier' }, '', '/auth?from=x#top');
  act(() => void window.dispatchEvent(new PopStateEvent('popstate')));
  expect(page()).toBe('/auth?from=x#top "earlier" pop');
  unmount();
  window.history.replaceState(before, '', '/booking');
  show();
  expect(page()).toBe('/booking "from a link" pop');
});

test('a query is replaced, removed, and followed as the address of a navigation', async () => {
  window.history.replaceState(null, '', '/admin?tab=bookings');
  show();
  act(() => replaceSearch({ tab: 'audit', q: 'a b' }, { replace: true }));
  expect(page()).toBe('/admin?tab=audit&q=a+b null replace');
  act(() => navigate('?tab=codes', { state: 1 }));
  expect(page()).toBe('/admin?tab=codes 1 push');
  act(() => replaceSearch({}));
  expect(page()).toBe('/admin null push');
  expect(window.location.href).toMatch(/admin$/);
});

test('a redirect replaces the address', async () => {
  const Jump = () => (useLocation().pathname === '/old' ? <Redirect to="/new#part" /> : <Page />);
  render(
    <Router at="/old">
      <Jump />
    </Router>,
  );
  await screen.findByText('/new#part null replace');
});
