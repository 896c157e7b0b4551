import { useEffect, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Cross } from './cross.tsx';

/** good: something worked; warn: something to know; bad: something did not work. */
type Tone = 'good' | 'warn' | 'bad';
export type Toast = {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly tone: Tone;
  /** When it goes, in milliseconds of the clock: a message that moves into a dialog does not begin anew. */
  readonly until: number;
};

const EDGE: Readonly<Record<Tone, string>> = { good: 'border-good', warn: 'border-warn', bad: 'border-bad' };

/** Messages that do not say how long they stay. */
const SHOWN_MS = 7_000;

let toasts: readonly Toast[] = [];
/** Open dialogs, the last on top. */
let hosts: readonly HTMLElement[] = [];
let next = 1;
const listeners = new Set<() => void>();
function tell(): void {
  for (const listener of listeners) listener();
}
function change(list: readonly Toast[]): void {
  toasts = list;
  tell();
}
function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Beside a title whose reason stands at a field already: a message never repeats it. */
export const SEE_FIELD = 'Please check the marked field.';

/**
 * Shows messages inside `element` until the returned function is called: behind an open dialog they would be covered
 * and silent, on top of it they would cover what it says.
 */
export function hostToasts(element: HTMLElement): () => void {
  hosts = [...hosts, element];
  tell();
  return () => {
    hosts = hosts.filter((one) => one !== element);
    tell();
  };
}

/** Says something in passing; what is needed later never stands in a toast alone. */
export function toast(message: { title: string; description?: string; tone?: Tone; ms?: number }): void {
  const made: Toast = {
    id: next,
    title: message.title,
    description: message.description ?? '',
    tone: message.tone ?? 'good',
    until: Date.now() + (message.ms ?? SHOWN_MS),
  };
  next += 1;
  change([...toasts.slice(-2), made]);
}

/** Where messages appear; polite to screen readers, closed by hand or by time. */
export function Toaster() {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return drawn ? <Messages /> : null;
}

function Messages() {
  const list = useSyncExternalStore(listen, () => toasts);
  const dialog = useSyncExternalStore(listen, () => hosts.at(-1) ?? null);
  return createPortal(
    <section
      aria-label="Messages"
      aria-live="polite"
      className={`flex flex-col gap-2 ${dialog ? 'not-empty:mb-5' : 'pointer-events-none fixed inset-x-0 top-0 z-50 items-center p-4 sm:items-end'}`}
    >
      {list.map((one) => (
        <Message key={one.id} message={one} />
      ))}
    </section>,
    dialog ?? document.body,
  );
}

function Message({ message }: { message: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => change(toasts.filter((one) => one.id !== message.id)), message.until - Date.now());
    return () => clearTimeout(timer);
  }, [message.id, message.until]);
  return (
    <div
      className={`pointer-events-auto flex w-full max-w-sm animate-drop gap-3 border-l-4 bg-deck p-4 shadow-2xl outline outline-line ${EDGE[message.tone]}`}
    >
      <div className="min-w-0 grow">
        <p className="font-bold">{message.title}</p>
        {message.description ? <p className="text-sm text-fog">{message.description}</p> : null}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        className="-my-2 -mr-2 grid size-11 shrink-0 place-content-center text-fog hover:text-chalk"
        onClick={() => change(toasts.filter((one) => one.id !== message.id))}
      >
        <Cross />
      </button>
    </div>
  );
}
