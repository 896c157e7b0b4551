import { z } from 'zod';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';

const searchSchema = z.object({ words: z.string().trim().max(200) });

/**
 * Whether a text is a booking reference: eight letters or digits with a dash in the middle. The dash may be missing if one of them is a
 * digit, because names have no digits.
 */
export const isReference = (text: string): boolean =>
  /^[a-z0-9]{4}-[a-z0-9]{4}$/i.test(text) || /^(?=.*\d)[2-9a-hjkmnp-z]{8}$/i.test(text);

/** A field that opens a booking by its reference, or finds customers. */
export function SearchForm({
  words,
  onBooking,
  onCustomers,
}: {
  words: string;
  onBooking: (reference: string) => void;
  onCustomers: (words: string) => void;
}) {
  const form = useSchemaForm(searchSchema, { defaultValues: { words } });
  return (
    <Form
      form={form}
      role="search"
      onSend={(typed) => (isReference(typed.words) ? onBooking(typed.words) : onCustomers(typed.words))}
      className="mb-8 flex flex-wrap items-end gap-3"
    >
      <TextField
        control={form.control}
        name="words"
        label="Reference, name, email or phone"
        type="search"
        autoComplete="off"
        className="min-w-64 flex-1"
      />
      <SubmitButton control={form.control}>Search</SubmitButton>
    </Form>
  );
}
