import { z } from 'zod';
import { nextSlot, type Slot, slotLabel, toSpan } from '#rules/slots.ts';
import { hourExists, isStudioDate } from '#rules/studio-time.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';

/** A studio that can be chosen. */
export type StudioName = { readonly id: string; readonly name: string };

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: slotLabel(hour) }));

/** Consecutive hours of a studio. */
export type HoursChoice = {
  readonly studioId: string;
  readonly slots: readonly Slot[];
  readonly start: Date;
  readonly end: Date;
};
/** The values as typed. */
type TypedHours = {
  readonly studioId: string;
  readonly date: string;
  readonly hour: string;
  readonly hours: string;
};

const hoursSchema = z
  .object({
    studioId: z.string().min(1, 'Choose a studio.'),
    date: z.string().refine(isStudioDate, 'Choose a day.'),
    hour: z.string(),
    hours: z.string().regex(/^([1-9]|1\d|2[0-4])$/, 'Enter 1 to 24 hours.'),
  })
  .transform(({ studioId, date, hour, hours }, context): HoursChoice => {
    const first: Slot = { date, hour: Number(hour) };
    if (!hourExists(date, first.hour)) {
      context.addIssue({ code: 'custom', path: ['hour'], message: 'The clocks skip this hour. Choose another one.' });
      return z.NEVER;
    }
    const slots = [first];
    for (let slot = nextSlot(first); slots.length < Number(hours); slot = nextSlot(slot)) slots.push(slot);
    return { studioId, slots, ...toSpan(slots) };
  });

/** Asks for a studio, a day and hours. */
export function HoursForm({
  studios,
  initial,
  note,
  onChoose,
  onBack,
}: {
  studios: readonly StudioName[];
  initial: TypedHours;
  /** A sentence about the hours. */
  note: string;
  onChoose: (hours: HoursChoice) => void;
  onBack: () => void;
}) {
  const form = useSchemaForm(hoursSchema, { defaultValues: initial });
  const { control } = form;
  return (
    <Form form={form} onSend={onChoose} className="space-y-4">
      <ChoiceField
        control={control}
        name="studioId"
        label="Room"
        options={studios.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField control={control} name="date" label="Day" type="date" required />
        <ChoiceField control={control} name="hour" label="From" options={HOURS} />
        <TextField control={control} name="hours" label="Hours" type="number" min="1" max="24" step="1" required />
      </div>
      <p className="text-sm text-dust">{note}</p>
      <FormEnd control={control} leave="Back" onLeave={onBack}>
        Continue
      </FormEnd>
    </Form>
  );
}
