import { useEffect, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Cross } from './button.tsx';

/** `good`: something worked; `warn`: something to know; `bad`: something failed. */
type Tone = 'good' | 'warn' | 'bad';
type Action = { readonly label: string; readonly onPress: () => void };
export type Toast = {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly tone: Tone;
  /** A button in the message. Pressing it closes the message. */
  readonly action: Action | null;
  /** Epoch milliseconds at which the message disappears. It is absolute, so that moving the message into a dialog does not restart it. */
  readonly until: number;
};

const EDGE: Readonly<Record<Tone, string>> = { good: 'border-good', warn: 'border-warn', bad: 'border-bad' };

/** Default duration in milliseconds. */
const SHOWN_MS = 7_000;
/** Duration in milliseconds of a message with a button, which takes a while to reach by keyboard. */
const ACTION_MS = 20_000;
/** The shortest time for which a message stays after the pointer or the focus has left it, in milliseconds. */
const LEAVING_MS = 1_000;

let toasts: readonly Toast[] = [];
/** Message regions of the open dialogs, topmost last. */
let hosts: readonly HTMLElement[] = [];
let next = 1;
const listeners = new Set<() => void>();
function notify(): void {
  for (const listener of listeners) listener();
}
function change(list: readonly Toast[]): void {
  toasts = list;
  notify();
}
function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Shows toasts inside `element` until the returned function is called. Behind an open dialog, toasts would be hidden and not announced; on
 * top of it, they would cover its content.
 */
export function hostToasts(element: HTMLElement): () => void {
  hosts = [...hosts, element];
  notify();
  return () => {
    hosts = hosts.filter((host) => host !== element);
    notify();
  };
}

/** Shows a short message in place of the previous one. Information that people need later must also be on the page. */
export function toast(message: {
  title: string;
  description?: string;
  tone?: Tone;
  ms?: number;
  action?: Action;
}): void {
  const created: Toast = {
    id: next,
    title: message.title,
    description: message.description ?? '',
    tone: message.tone ?? 'good',
    action: message.action ?? null,
    until: Date.now() + (message.ms ?? (message.action ? ACTION_MS : SHOWN_MS)),
  };
  next += 1;
  change([created]);
}

/** Shows the toasts. Screen readers announce them politely. Each toast closes when it is dismissed or its time has passed. */
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
      className={`flex flex-col gap-2 ${dialog ? 'not-empty:mb-5' : 'pointer-events-none fixed inset-x-0 top-2 z-50 sm:top-18 items-center px-4 sm:items-end'}`}
    >
      {list.map((message) => (
        <Message key={message.id} message={message} />
      ))}
    </section>,
    dialog ?? document.body,
  );
}

/** A message that stays while the pointer or the focus is on it. */
function Message({ message }: { message: Toast }) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = pointed || focused;
  useEffect(() => {
    if (held) return undefined;
    const remainingMs = Math.max(message.until - Date.now(), LEAVING_MS);
    const timer = setTimeout(() => change(toasts.filter((entry) => entry.id !== message.id)), remainingMs);
    return () => clearTimeout(timer);
  }, [message.id, message.until, held]);
  const dismiss = (): void => change(toasts.filter((entry) => entry.id !== message.id));
  return (
    <div
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      className={`pointer-events-auto flex w-full max-w-sm animate-drop gap-3 border-l-4 bg-deck p-4 shadow-2xl outline outline-line ${EDGE[message.tone]}`}
    >
      <div className="min-w-0 grow">
        <p className="font-bold">{message.title}</p>
        {message.description ? <p className="text-sm text-fog">{message.description}</p> : null}
        {message.action === null ? null : (
          <button
            type="button"
            className="-mb-2 min-h-11 font-bold text-signal underline"
            onClick={() => {
              dismiss();
              message.action?.onPress();
            }}
          >
            {message.action.label}
          </button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        className="-my-2 -mr-2 grid size-11 shrink-0 place-content-center text-fog hover:text-chalk"
        onClick={dismiss}
      >
        <Cross />
      </button>
    </div>
  );
}
