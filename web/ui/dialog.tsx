import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { hostToasts } from './toast.tsx';

/** A modal: the browser keeps the focus inside, Escape closes, focus goes back to where it was, messages appear on top. */
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
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog || !open) return;
    dialog.showModal();
    const leave = hostToasts(dialog);
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
      className={`m-auto max-h-[92dvh] w-[calc(100%-2rem)] ${wide ? 'max-w-2xl' : 'max-w-md'} overflow-y-auto border-t-4 border-signal bg-booth p-6 text-chalk sm:p-8`}
    >
      {open ? (
        <>
          <div className="mb-5 flex items-start justify-between gap-4">
            <h2 id={id} className="text-3xl">
              {title}
            </h2>
            <button
              type="button"
              onClick={onClose}
              aria-label="Close"
              className="-mt-2 -mr-2 size-11 text-2xl text-fog hover:text-chalk"
            >
              ×
            </button>
          </div>
          {children}
        </>
      ) : null}
    </dialog>
  );
}
