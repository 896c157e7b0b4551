import { useMutation, useQuery } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { QueryProvider, showFailuresWith } from './query-provider.tsx';
import { queryKeys } from './query-keys.ts';
import { rest } from './rest.ts';

vi.mock('./session.tsx', () => ({ onSignOut: () => {} }));
const getUser = vi.hoisted(() => vi.fn());
vi.mock('./fetch-client.ts', () => ({ fetchClient: () => Promise.resolve({ auth: { getUser } }) }));
const show = vi.fn();
beforeEach(() => {
  vi.resetAllMocks();
  getUser.mockResolvedValue({});
  showFailuresWith(show);
});

type Meta = NonNullable<Parameters<typeof useMutation>[0]['meta']>;
function Writer({ work, meta }: { work: () => Promise<unknown>; meta?: Meta }) {
  const write = useMutation({ mutationFn: work, ...(meta ? { meta } : {}) });
  return (
    <button type="button" onClick={() => write.mutate()}>
      {write.isError ? 'failed' : write.isSuccess ? 'done' : 'write'}
    </button>
  );
}
const refuse = (message: string) => () => Promise.reject(new Error(message));
async function press(): Promise<void> {
  screen.getByRole('button').click();
  await waitFor(() => expect(screen.getByRole('button').textContent).not.toBe('write'));
}

test('a failed mutation is reported once: as a toast with its own words, or by its component', async () => {
  const cases: readonly (readonly [() => Promise<unknown>, Meta | undefined, unknown[][]])[] = [
    [refuse('The server says no.'), undefined, [['Error', 'The server says no.']]],
    [refuse('Failed to fetch'), undefined, [['Error', 'An unexpected error occurred. Please try again.']]],
    [refuse('Failed to fetch'), { title: 'Oh no', failure: 'That did not work.' }, [['Oh no', 'That did not work.']]],
    [refuse('The server says no.'), { handled: true }, []],
    [() => Promise.resolve(), undefined, []],
  ];
  for (const [work, meta, shown] of cases) {
    show.mockClear();
    const { unmount } = render(<QueryProvider>{<Writer work={work} {...(meta ? { meta } : {})} />}</QueryProvider>);
    await press();
    expect(show.mock.calls).toEqual(shown);
    unmount();
  }
});

test('the end of a mutation reads again what it names, after a success and after a failure', async () => {
  const read = vi.fn(() => Promise.resolve(read.mock.calls.length));
  const other = vi.fn(() => Promise.resolve(0));
  function Reader() {
    const studios = useQuery({ queryKey: queryKeys.studios.of(), queryFn: read });
    useQuery({ queryKey: queryKeys.sessions.of(), queryFn: other });
    return <p>read {studios.data}</p>;
  }
  let fails = false;
  const work = (): Promise<void> => (fails ? Promise.reject(new Error('no')) : Promise.resolve());
  const meta = { handled: true, invalidates: [queryKeys.studios.all] } as const;
  render(
    <QueryProvider>
      <Reader />
      <Writer work={work} meta={meta} />
    </QueryProvider>,
  );
  await screen.findByText('read 1');
  screen.getByRole('button').click();
  await screen.findByText('read 2');
  fails = true;
  screen.getByRole('button').click();
  await screen.findByText('read 3');
  expect(other).toHaveBeenCalledOnce();
});

test('a call whose session is gone lets the auth client sign this browser out; any other failure does not [spec 10.22]', async () => {
  const fail = (code: string) => () => Promise.reject(Object.assign(new Error('no'), { code }));
  // The call fails as it does without a connection.
  getUser.mockRejectedValue(new Error('no answer'));
  for (const [code, calls] of [
    ['session_not_found', 1],
    ['PGRST301', 1],
    ['42501', 0],
  ] as const) {
    getUser.mockClear();
    const written = render(<QueryProvider>{<Writer work={fail(code)} meta={{ handled: true }} />}</QueryProvider>);
    await press();
    expect(getUser).toHaveBeenCalledTimes(calls);
    written.unmount();
    getUser.mockClear();
    function Reader() {
      return <p>{useQuery({ queryKey: queryKeys.savedCards.of(code), queryFn: fail(code) }).status}</p>;
    }
    const read = render(<QueryProvider>{<Reader />}</QueryProvider>);
    await screen.findByText('error');
    expect(getUser).toHaveBeenCalledTimes(calls);
    read.unmount();
  }
});

test('a read that fails is tried again, and the page hears of it within five seconds; a write is tried once', async () => {
  vi.useFakeTimers();
  const answer = vi.fn<typeof fetch>();
  vi.stubGlobal('fetch', answer);
  const busy = (seconds: number) => () =>
    Promise.resolve(new Response(null, { status: 503, headers: { 'retry-after': String(seconds) } }));
  const refused = () => Promise.reject(new TypeError('Failed to fetch'));
  const read = () => rest.from('studios').select();
  const write = () => rest.from('studios').delete().eq('id', 'a');
  for (const [call, fails, tries, within] of [
    [read, refused, 3, 5_000],
    [read, busy(2), 3, 5_000],
    [read, busy(5), 1, 900],
    [write, refused, 1, 900],
  ] as const) {
    answer.mockReset().mockImplementation(fails);
    const error = vi.fn();
    void call().then((result) => error(result.error));
    await vi.advanceTimersByTimeAsync(within);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({}));
    expect(answer).toHaveBeenCalledTimes(tries);
  }
  answer
    .mockReset()
    .mockImplementationOnce(refused)
    .mockResolvedValue(Response.json([{ id: 'a' }]));
  const found = vi.fn();
  void read().then(({ data }) => found(data));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(found).toHaveBeenCalledWith([{ id: 'a' }]);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
