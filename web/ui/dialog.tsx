import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Cross } from './button.tsx';
import { hostToasts } from './toast.tsx';

const TO_TYPE_IN = 'input:not([type=file], [type=checkbox], [type=radio], [type=hidden]), select, textarea';

/**
 * A modal dialog. The browser keeps the focus inside and restores it afterwards, Escape closes the dialog, and messages appear inside it.
 * The focus begins in the first field that is not inside `data-later`, or at the title.
 */
export function Dialog({
  open,
  title,
  onClose,
  children,
  wide = false,
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const messages = useRef<HTMLDivElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog || !open) return;
    dialog.showModal();
    // The browser would focus the close button. On touch screens focus the heading, so that the on-screen keyboard does not open.
    const fields = window.matchMedia('(pointer: fine)').matches ? dialog.querySelectorAll<HTMLElement>(TO_TYPE_IN) : [];
    const begin = [...fields].find((field) => field.closest('[data-later]') === null);
    (begin ?? heading.current)?.focus();
    const leave = messages.current ? hostToasts(messages.current) : (): void => {};
    return () => {
      leave();
      dialog.close();
    };
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto max-h-[92dvh] w-[calc(100%-2rem)] ${wide ? 'max-w-2xl' : 'max-w-md'} overflow-y-auto overscroll-contain border-t-4 border-signal bg-booth p-6 text-chalk open:animate-drop sm:p-8 forced-colors:border-2`}
    >
      {open ? (
        <>
          <div className="mb-5 flex items-start justify-between gap-4">
            <h2 ref={heading} id={id} tabIndex={-1} className="min-w-0 text-3xl outline-none sm:text-4xl">
              {title}
            </h2>
            <button
              type="button"
              onClick={onClose}
              aria-label="Close"
              className="-mt-2 -mr-2 grid size-11 shrink-0 place-content-center text-fog hover:text-chalk"
            >
              <Cross />
            </button>
          </div>
          <div ref={messages} />
          {children}
        </>
      ) : null}
    </dialog>
  );
}
