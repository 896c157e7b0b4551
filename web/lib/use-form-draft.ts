import { useEffect, useEffectEvent } from 'react';
import type { FieldValues, UseFormSubscribe } from 'react-hook-form';

/** Calls `keep` with the values of a form whenever something is typed. */
export function useFormDraft<T extends FieldValues>(
  form: { readonly subscribe: UseFormSubscribe<T> },
  keep: (values: T) => void,
): void {
  const { subscribe } = form;
  const onTyped = useEffectEvent(keep);
  useEffect(() => subscribe({ formState: { values: true }, callback: ({ values }) => onTyped(values) }), [subscribe]);
}
