import { useState } from 'react';
import type { z } from 'zod';
import type { BusinessSettings } from '#rules/business/business.ts';
import { detailsFormSchema, type SettingsChange } from '#rules/business/settings-change.ts';
import { readTyped, removeTyped, saveTyped } from '#web/lib/drafts.ts';
import { useFormDraft } from '#web/lib/use-form-draft.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { getChanges, NAMES } from './changes.ts';
import { KeptPart, type PartDraft } from './kept-part.tsx';
import { PhotoField } from './photo-field.tsx';

type Typed = z.input<typeof detailsFormSchema>;
type Place = { readonly name: keyof Typed & keyof typeof NAMES; readonly hint?: string; readonly lines?: number };

const PARTS: readonly { readonly title: string; readonly fields: readonly Place[] }[] = [
  {
    title: 'The business',
    fields: [
      { name: 'name', hint: 'The first word becomes the first line of the logo.' },
      { name: 'legalName', hint: 'Shown as the seller on documents.' },
      {
        name: 'abn',
        hint: 'Eleven digits. Without an ABN, customers get receipts instead of tax invoices, without GST.',
      },
    ],
  },
  {
    title: 'Contact details',
    fields: [
      { name: 'address' },
      { name: 'phone' },
      { name: 'email' },
      { name: 'instagram' },
      { name: 'directions', lines: 3, hint: 'How to find the door. Everyone can read this.' },
      { name: 'directionsPhoto' },
      {
        name: 'directionsPhotoText',
        hint: 'For people who can’t see the photo, for example “A green door next to the bakery”.',
      },
      {
        name: 'arrivalNotes',
        lines: 3,
        hint: 'Shown only to people with a booking: in the confirmation, the code email and the calendar file.',
      },
    ],
  },
  {
    title: 'On the site',
    fields: [
      { name: 'notice', hint: 'Shown on every public page until the visitor closes it. Leave empty for no notice.' },
    ],
  },
  {
    title: 'Booking',
    fields: [
      { name: 'holdMinutes', hint: 'How long we hold hours while the customer pays: 5 to 30.' },
      { name: 'horizonDays', hint: 'How far ahead customers can book: up to 365.' },
      {
        name: 'freeCancelHours',
        hint: 'How many hours before the start a new booking can still be cancelled for a full refund.',
      },
    ],
  },
  {
    title: 'Limits before payment',
    fields: [
      { name: 'maxLiveHolds', hint: 'How many unpaid bookings a customer can have: 1 to 20.' },
      { name: 'holdsPerHour', hint: 'How many unpaid bookings a customer can start per hour: 1 to 100.' },
      {
        name: 'maxUnpaidHours',
        hint: 'How many unpaid hours a customer can hold across all rooms, counting bookings, series, moves and the wait list.',
      },
      { name: 'maxUnpaidHoursOfBooking', hint: 'How many unpaid hours one booking can have: 1 to 24.' },
    ],
  },
  {
    title: 'Accounting',
    fields: [{ name: 'salesAccount', hint: 'The account code for sales in the Xero file.' }],
  },
];
const NUMBERS = [
  'holdMinutes',
  'horizonDays',
  'freeCancelHours',
  'maxLiveHolds',
  'holdsPerHour',
  'maxUnpaidHours',
  'maxUnpaidHoursOfBooking',
] as const;
const isNumber = (name: string): boolean => NUMBERS.some((field) => field === name);

/** The details of the business. Passes on the validated values that differ from the current ones. */
export function DetailsForm({
  draft: { name: draftName, version },
  current,
  onReview,
}: {
  draft: PartDraft;
  current: BusinessSettings;
  onReview: (changes: SettingsChange) => void;
}) {
  const [kept, setKept] = useState(() => readTyped(draftName, { version, values: toTyped(current) }));
  const form = useSchemaForm(detailsFormSchema, {
    defaultValues: kept?.values ?? toTyped(current),
    showAll: true,
  });
  const { control } = form;
  useFormDraft(form, (values) => saveTyped(draftName, { version: kept?.version ?? version, values }));
  function discard(): void {
    removeTyped(draftName);
    setKept(null);
    form.reset(toTyped(current));
  }
  function review(requested: SettingsChange): void {
    const changes = getChanges(current, requested);
    if (Object.keys(changes).length > 0) onReview(changes);
    else refuseForm(form, { message: 'No changes to preview.' });
  }
  return (
    <Form form={form} onSend={review} className="space-y-10">
      {kept === null ? null : <KeptPart typedAt={kept.version} version={version} onDiscard={discard} />}
      {PARTS.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend className="mb-4 text-2xl font-bold">{title}</legend>
          <div className="grid gap-5 sm:grid-cols-2">
            {fields.map(({ name, hint, lines }) =>
              name === 'directionsPhoto' ? (
                <PhotoField key={name} control={control} />
              ) : (
                <TextField
                  key={name}
                  control={control}
                  name={name}
                  label={NAMES[name]}
                  {...(hint === undefined ? {} : { hint })}
                  {...(lines === undefined ? {} : { lines, className: 'sm:col-span-2' })}
                  {...(name === 'notice' || name === 'directionsPhotoText' ? { className: 'sm:col-span-2' } : {})}
                  {...(isNumber(name) ? { inputMode: 'numeric' as const } : {})}
                  autoComplete="off"
                />
              ),
            )}
          </div>
        </fieldset>
      ))}
      <FormError control={control} />
      <SubmitButton control={control}>Preview changes</SubmitButton>
    </Form>
  );
}

function toTyped(settings: BusinessSettings): Typed {
  const { termsVersion: _version, terms: _terms, privacy: _privacy, ...details } = settings;
  // Cast: `fromEntries` loses the names of the keys.
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, String(details[name])])) as Record<
    (typeof NUMBERS)[number],
    string
  >;
  return { ...details, ...numbers };
}
