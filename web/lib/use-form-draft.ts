import { useEffect, useEffectEvent } from 'react';
import type { FieldValues, UseFormSubscribe } from 'react-hook-form';

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
        // Only events of a field have a type: values that the program sets are not typed.
        callback: ({ values, type }) => (type === undefined ? undefined : onTyped(values)),
      }),
    [subscribe],
  );
}
