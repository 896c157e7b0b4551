import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  get,
  type Path,
  type Resolver,
  useForm,
  type UseFormReturn,
  type UseFormSetError,
} from 'react-hook-form';
import type { z } from 'zod';
import { toast } from '../toast.tsx';

export type SchemaForm<In extends FieldValues, Out = In> = UseFormReturn<In, unknown, Out>;

type Schema<In, Out> = z.ZodType<Out, In>;
/** A schema, or a function that fetches one, so that a public page loads zod only when its form is submitted. */
type SchemaSource<In, Out> = Schema<In, Out> | (() => Promise<Schema<In, Out>>);

/** The value of an input whose text the browser cannot parse, such as "1e" in a number input. The input itself reports ''. */
export const UNREADABLE = 'unreadable';

/**
 * Creates the state of a form that is validated by a schema. Shows one message at a time, that of the first invalid field, unless `showAll`
 * is set.
 */
export function useSchemaForm<In extends FieldValues, Out>(
  schema: SchemaSource<In, Out>,
  start: {
    /** The initial values. */
    readonly defaultValues?: DefaultValues<In>;
    /** Values that arrive later, such as stored ones. They replace the values of fields that were not edited yet. */
    readonly values?: In;
    /** Shows the message of every invalid field, for long forms. */
    readonly showAll?: boolean;
  },
): SchemaForm<In, Out> {
  const { showAll = false, ...values } = start;
  const form = useForm<In, unknown, Out>({
    ...values,
    // These options apply to every reset, so they are only set if values arrive later. Edited fields then keep their values.
    ...(start.values === undefined ? {} : { resetOptions: { keepDirtyValues: true } }),
    resolver: checkWith(schema, showAll),
  });
  // Reading this property makes react-hook-form track which fields were edited, so that later values do not overwrite them.
  void form.formState.dirtyFields;
  return form;
}

/**
 * Shows why a form was refused: the message appears at its field, or in `FormError` if it has none, and in a toast if the specification
 * gives it a title. A corrected field or the next submit removes the message.
 */
export function refuseForm<In extends FieldValues>(
  form: { readonly setError: UseFormSetError<In> },
  refusal: { readonly title?: string; readonly message: string; readonly field?: Path<In> },
): void {
  const { title, message, field } = refusal;
  form.setError(field ?? 'root.server', { type: 'server', message }, { shouldFocus: field !== undefined });
  if (title !== undefined) toast({ title, description: message, tone: 'bad' });
}

/** Returns the message at a path of the errors; null if there is none. */
export function messageAt(errors: FieldErrors, path: string): string | null {
  const message: unknown = get(errors, `${path}.message`);
  return typeof message === 'string' && message !== '' ? message : null;
}

function checkWith<In extends FieldValues, Out>(
  source: SchemaSource<In, Out>,
  showAll: boolean,
): Resolver<In, unknown, Out> {
  return async (values, context, options) => {
    const schema = typeof source === 'function' ? await source() : source;
    const resolve = standardSchemaResolver<In, unknown, Out>(schema);
    const result = await resolve(markUnreadable(values, options.fields), context, options);
    const [first] = Object.entries(result.errors);
    // Cast: the type does not express that an entry of the errors can contain errors itself.
    return first === undefined || showAll
      ? result
      : { values: {}, errors: Object.fromEntries([first]) as FieldErrors<In> };
  };
}

/** Replaces the '' of inputs that the browser cannot parse, so that they never count as empty. */
function markUnreadable<In extends FieldValues>(values: In, fields: Record<string, unknown>): In {
  const bad = Object.entries(fields).flatMap(([name, field]) => {
    const input: unknown = get(field, 'ref');
    return input instanceof HTMLInputElement && input.validity.badInput ? [[name, UNREADABLE] as const] : [];
  });
  return { ...values, ...Object.fromEntries(bad) };
}
