import { useEffect, useEffectEvent, useState } from 'react';
import type { FieldValues, UseFormSubscribe } from 'react-hook-form';
import { readTyped, removeTyped, saveTyped } from './drafts.ts';

/** Calls `keep` with the values of a form whenever something is typed. */
export function useFormDraft<T extends FieldValues>(
  form: { readonly subscribe: UseFormSubscribe<T> },
  keep: (values: T) => void,
): void {
  const { subscribe } = form;
  const onTyped = useEffectEvent(keep);
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        // Only events of a field have a type. Changes made by the program do not.
        callback: ({ values, type }) => (type === undefined ? undefined : onTyped(values)),
      }),
    [subscribe],
  );
}

type StoredDraft<T> = {
  readonly value: T;
  /** Whether the value was restored and has not been saved yet. */
  readonly isRestored: boolean;
  change(part: Partial<T>): void;
  /** Resets the form to its initial value and removes the stored one. */
  discard(): void;
  /** Removes the stored value after it was saved. The page keeps showing it. */
  saved(): void;
};

/** Holds the state of a form. This tab stores changes until they are saved or discarded, so that leaving the page loses nothing. */
export function useKept<T extends object>(name: string, start: T): StoredDraft<T> {
  const [restored, setRestored] = useState(() => readTyped(name, start));
  const [value, setValue] = useState(restored ?? start);
  function forget(): void {
    removeTyped(name);
    setRestored(null);
  }
  return {
    value,
    isRestored: restored !== null,
    change(part) {
      const next = { ...value, ...part };
      setValue(next);
      saveTyped(name, next);
    },
    discard() {
      forget();
      setValue(start);
    },
    saved: forget,
  };
}
