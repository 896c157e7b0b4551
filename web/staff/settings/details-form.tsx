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
      { name: 'name', hint: 'Its first word is the first line of the logo.' },
      { name: 'legalName', hint: 'The seller on documents.' },
      { name: 'abn', hint: 'Eleven digits. Without it there are receipts instead of tax invoices, and no GST.' },
    ],
  },
  {
    title: 'Where and how to reach you',
    fields: [
      { name: 'address' },
      { name: 'phone' },
      { name: 'email' },
      { name: 'instagram' },
      { name: 'directions', lines: 3, hint: 'How to find the door. Everybody can read it.' },
      { name: 'directionsPhoto' },
      { name: 'directionsPhotoText', hint: 'For people who cannot see it, such as “A green door beside the bakery”.' },
      {
        name: 'arrivalNotes',
        lines: 3,
        hint: 'Only for people with a booking: in the confirmation, the mail with the code, and the calendar file.',
      },
    ],
  },
  {
    title: 'On the site',
    fields: [{ name: 'notice', hint: 'Above every public page until the visitor closes it. Empty: no notice.' }],
  },
  {
    title: 'Booking',
    fields: [
      { name: 'holdMinutes', hint: 'How long hours are held while the customer pays: 5 to 30.' },
      { name: 'horizonDays', hint: 'How many days ahead hours can be booked: up to 365.' },
      {
        name: 'freeCancelHours',
        hint: 'Hours before the start until which a new booking can be cancelled with all of the money back.',
      },
    ],
  },
  {
    title: 'Holding hours before paying',
    fields: [
      { name: 'maxLiveHolds', hint: 'How many bookings a customer can have waiting for payment: 1 to 20.' },
      { name: 'holdsPerHour', hint: 'How many a customer can start in an hour without paying: 1 to 100.' },
      {
        name: 'maxUnpaidHours',
        hint: 'Hours in all rooms together that a customer can hold without paying: bookings, series, moves and the wait list.',
      },
      { name: 'maxUnpaidHoursOfBooking', hint: 'How many of them one booking can have: 1 to 24.' },
    ],
  },
  {
    title: 'Accounting',
    fields: [{ name: 'salesAccount', hint: 'The account code of sales in the file for Xero.' }],
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
    else refuseForm(form, { message: 'Nothing has changed.' });
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
