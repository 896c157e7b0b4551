import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { type Control, type FieldErrors, type FieldValues, type Path, useFormState } from 'react-hook-form';
import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';
import { toast } from '../toast.tsx';
import { messageAt, type SchemaForm } from './use-schema-form.ts';

type Props<In extends FieldValues, Out> = Omit<ComponentProps<'form'>, 'onSubmit' | 'ref'> & {
  readonly form: SchemaForm<In, Out>;
  /** Sends the validated values. The form does not report a rejection, because the mutation does. */
  readonly onSend: (values: Out) => unknown;
  /** Returns the title of the toast for an invalid field, or null for no toast. The default title is 'Validation Error'. */
  readonly getTitle?: (field: string, message: string) => string | null;
  /** The field that receives the focus when the form appears. */
  readonly startAt?: Path<In>;
  readonly children: ReactNode;
};

/** A form. It validates its fields, focuses the first invalid one, and never sends twice at the same time. */
export function Form<In extends FieldValues, Out>({
  form,
  onSend,
  getTitle,
  startAt,
  children,
  ...rest
}: Props<In, Out>) {
  const sending = useRef(false);
  const { setFocus } = form;
  useEffect(() => {
    if (startAt !== undefined) setFocus(startAt);
  }, [startAt, setFocus]);

  function reportErrors(errors: FieldErrors<In>): void {
    const [field = ''] = Object.keys(errors);
    const message = messageAt(errors, field) ?? '';
    const title = getTitle === undefined ? 'Validation Error' : getTitle(field, message);
    if (title !== null) toast({ title, description: message, tone: 'bad' });
  }
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (sending.current) return;
    sending.current = true;
    try {
      await form.handleSubmit(async (values) => {
        await Promise.resolve(onSend(values)).catch(() => undefined);
      }, reportErrors)(event);
    } catch (error) {
      // The schema could not be fetched.
      toast({ title: 'Error', description: 'Something went wrong. Please try again.', tone: 'bad' });
      throw error;
    } finally {
      sending.current = false;
    }
  }
  return (
    <form noValidate {...rest} onSubmit={(event) => void send(event)}>
      {children}
    </form>
  );
}

/** Shows a refusal that does not belong to a single field. */
export function FormError<In extends FieldValues, Out>({ control }: { control: Control<In, unknown, Out> }) {
  const { errors } = useFormState({ control });
  const message = messageAt(errors, 'root.server');
  return message === null ? null : (
    <Notice tone="bad">
      <p>{message}</p>
    </Notice>
  );
}

/** The button that sends a form. It is busy until the answer arrives, with another label if one is given. */
export function SubmitButton<In extends FieldValues, Out>({
  control,
  busyLabel,
  children,
  ...button
}: Omit<ComponentProps<typeof Button>, 'type' | 'busy'> & {
  control: Control<In, unknown, Out>;
  busyLabel?: string;
}) {
  const { isSubmitting } = useFormState({ control });
  return (
    <Button {...button} type="submit" busy={isSubmitting}>
      {isSubmitting ? (busyLabel ?? children) : children}
    </Button>
  );
}

/**
 * The end of a form: the refusal that does not belong to a single field, the button that sends the form, and the button that closes it
 * without sending. `leave`: the label of the latter.
 */
export function FormEnd<In extends FieldValues, Out>({
  control,
  tone = 'signal',
  disabled = false,
  leave = 'Cancel',
  onLeave,
  children,
}: Pick<ComponentProps<typeof Button>, 'tone' | 'disabled' | 'children'> & {
  control: Control<In, unknown, Out>;
  leave?: string;
  onLeave: () => void;
}) {
  const { isSubmitting } = useFormState({ control });
  return (
    <>
      <FormError control={control} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={control} tone={tone} disabled={disabled}>
          {children}
        </SubmitButton>
        <Button tone="plain" disabled={isSubmitting} onClick={onLeave}>
          {leave}
        </Button>
      </div>
    </>
  );
}
