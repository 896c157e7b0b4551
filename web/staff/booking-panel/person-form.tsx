import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import { customerSchema } from '#rules/people.ts';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { constants as venue } from '#rules/venue.ts';
import type { CallAnswer } from '#web/data/fetch-client.ts';
import { type KnownPerson, readKnownPeople } from '#web/data/bookings/known-people.ts';
import { type Series, SERIES_WEEKS, seriesList, useSeries } from '#web/data/finding/use-series.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useSettled } from '#web/lib/use-settled.ts';
import { CheckList, SelectField } from '#web/ui/choice.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, type SchemaForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { LoadFailed, Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import type { HoursChoice, StudioName } from './hours-form.tsx';
import { nameBookings } from './money-words.ts';
import { createBooking } from './queries.ts';

const PAYMENTS = [
  { value: 'link', label: 'Email a payment link' },
  { value: 'elsewhere', label: 'Already paid another way' },
  { value: 'free', label: 'Free' },
] as const;
const NEEDS_MONEY =
  'We email a link to pay the list price. A lower price, a free booking or another way of paying needs the “Money” permission. An owner can give it to you.';
/** A payment link, the number of bookings that it pays for, and the address to which it was mailed. */
export type PayLink = {
  readonly reference: string;
  readonly bookings: number;
  readonly url: string;
  readonly email: string;
};
export type PricedStudio = StudioName & { readonly rates: Rates };

const { email, fullName, phone } = customerSchema.shape;
/** The schema of the form. `listCents`: the list price, which is the highest price that can be asked. A free booking has no price. */
const personSchema = (listCents: number) =>
  z
    .object({
      customerName: fullName,
      customerEmail: email,
      customerPhone: z.literal('').or(phone),
      payment: z.enum(PAYMENTS.map(({ value }) => value)),
      price: z.string(),
      notes: z.string().trim().max(2000, 'Use at most 2,000 characters.'),
    })
    .transform(({ price, ...person }, context) => {
      if (price.trim() === '' || person.payment === 'free') return { ...person, priceCents: null };
      const cents = dollarsToCents(Number(price));
      if (cents !== null && cents >= venue.cardMinimumCents && cents <= listCents)
        return { ...person, priceCents: cents };
      const message = `Enter an amount from ${formatMoney(venue.cardMinimumCents)} to ${formatMoney(listCents)}.`;
      context.addIssue({ code: 'custom', path: ['price'], message });
      return z.NEVER;
    });
type Typed = z.input<ReturnType<typeof personSchema>>;
type Person = z.output<ReturnType<typeof personSchema>>;
const NOTHING: Typed = {
  customerName: '',
  customerEmail: '',
  customerPhone: '',
  payment: 'link',
  price: '',
  notes: '',
};

/** Asks who the booking is for and how it is paid, and makes it. `onLink`: called if the booking awaits payment by this link. */
export function PersonForm({
  studio,
  hours,
  mayGive,
  onLink,
  onDone,
  onBack,
}: {
  studio: PricedStudio | undefined;
  hours: HoursChoice;
  mayGive: boolean;
  onLink: (link: PayLink) => void;
  onDone: (reference: string) => void;
  onBack: () => void;
}) {
  const listCents = studio === undefined ? 0 : quoteSlots(hours.slots, studio.rates).totalCents;
  const [schema] = useState(() => personSchema(listCents));
  const form = useSchemaForm(schema, {
    defaultValues: NOTHING,
  });
  const payment = useWatch({ control: form.control, name: 'payment' });
  const series = useSeries({ studioId: hours.studioId, slots: hours.slots, code: null });
  const dates = series.chosen?.length ?? 1;
  const create = useCreate(hours, series.chosen, onLink, onDone, (error) =>
    refuseForm(form, { message: describeError(error, 'Nothing was booked. Check your connection.') }),
  );
  return (
    <Form form={form} onSend={create.mutateAsync} className="space-y-4">
      <div className="border-l-4 border-signal bg-deck p-4">
        <p>
          {studio?.name}, {formatStudioRange(hours.start, hours.end)}
        </p>
        {studio === undefined ? null : (
          <p className="mt-1 text-sm text-fog" aria-live="polite">
            {series.chosen === null ? '' : `${dates} dates: `}
            {formatMoney(series.totalCents ?? listCents)} from the price list.
          </p>
        )}
      </div>
      <fieldset disabled={create.isPending} className="min-w-0">
        <Repeat series={series} />
      </fieldset>
      <PersonFields form={form} />
      {mayGive ? (
        <ChoiceField control={form.control} name="payment" label="Payment" options={PAYMENTS} />
      ) : (
        <p>{NEEDS_MONEY}</p>
      )}
      {mayGive && payment !== 'free' ? (
        <TextField
          control={form.control}
          name="price"
          label={`Price ${dates > 1 ? 'per date ' : ''}in dollars (optional)`}
          inputMode="decimal"
          autoComplete="off"
          hint="Leave empty for the list price."
        />
      ) : null}
      <TextField control={form.control} name="notes" label="Note (optional)" autoComplete="off" />
      <p className="text-sm text-dust">
        A payment link holds the hours for a day, or until an hour before the start. We don’t check this person’s ID, so
        you vouch for them.
      </p>
      <FormEnd
        control={form.control}
        disabled={series.loading || series.failed || firstTaken(series)}
        leave="Back"
        onLeave={onBack}
      >
        {dates > 1 ? `Book ${dates} dates` : 'Book'}
      </FormEnd>
    </Form>
  );
}

/** Whether the chosen hours themselves cannot be booked. */
const firstTaken = ({ dates }: Series): boolean => typeof dates?.[0]?.problem === 'string';

/** Lets staff choose for how many weeks the hours are booked, and leave out single dates. */
function Repeat({ series }: { series: Series }) {
  const { weeks, dates, leftOut, failed, lookAgain } = series;
  return (
    <div className="space-y-3">
      <SelectField
        label="Repeat weekly"
        value={String(weeks)}
        options={SERIES_WEEKS}
        onChange={(event) => series.setWeeks(Number(event.target.value))}
      />
      {weeks === 1 ? null : failed ? (
        <LoadFailed title="The dates could not be loaded." onRetry={lookAgain} />
      ) : dates === undefined ? (
        <Skeleton label="Loading the dates" className="h-40" />
      ) : (
        <CheckList {...seriesList(dates, leftOut)} onToggle={series.toggle} />
      )}
      {dates !== undefined && series.chosen === null ? (
        <p role="status" className="text-sm text-warn">
          {firstTaken(series)
            ? 'The first date is not available. Go back and choose other hours.'
            : 'A series needs at least two available dates, so only these hours will be booked.'}
        </p>
      ) : null}
    </div>
  );
}

/** Name, email and phone, with the known people whose names match. */
function PersonFields({ form }: { form: SchemaForm<Typed, Person> }) {
  const name = useWatch({ control: form.control, name: 'customerName' });
  const [chosen, setChosen] = useState<string | null>(null);
  const choose = (person: KnownPerson): void => {
    setChosen(person.name);
    form.setValue('customerName', person.name);
    form.setValue('customerEmail', person.email, { shouldValidate: form.formState.isSubmitted });
    form.setValue('customerPhone', person.phone ?? '', { shouldValidate: form.formState.isSubmitted });
    form.setFocus('customerEmail');
  };
  return (
    <>
      <TextField
        control={form.control}
        name="customerName"
        label="Name"
        required
        autoComplete="off"
        hint="Type a name, an email or a phone number to find known customers."
      />
      {name === chosen ? null : <KnownPeople words={name} onChoose={choose} />}
      <TextField
        control={form.control}
        name="customerEmail"
        label="Email"
        type="email"
        required
        autoComplete="off"
        hint="If an account has confirmed this address, the booking belongs to that account."
      />
      <TextField control={form.control} name="customerPhone" label="Phone (optional)" type="tel" autoComplete="off" />
    </>
  );
}

/** Makes a booking or a series. Idempotent for each form: sending it again after a lost answer does not create another booking. */
function useCreate(
  hours: HoursChoice,
  series: Series['chosen'],
  onLink: (link: PayLink) => void,
  onDone: (reference: string) => void,
  onError: (error: unknown) => void,
) {
  const [requestId] = useState(() => crypto.randomUUID());
  return useMutation({
    mutationFn: (person: Person) =>
      createBooking({
        ...person,
        studioId: hours.studioId,
        startTime: hours.start.toISOString(),
        endTime: hours.end.toISOString(),
        requestId,
        ...(series === null ? {} : { series: { dates: series.map(({ date }) => date) } }),
      }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ reference, status, url, pending }, { payment, customerEmail }) => {
      const bookings = series?.length ?? 1;
      if (payment === 'link' && url !== undefined) return onLink({ reference, bookings, url, email: customerEmail });
      toast(describeBooked(nameBookings(reference, bookings), { status, pending }, customerEmail));
      onDone(reference);
    },
    onError,
  });
}

/** Describes a booking without a link to copy. A repeated call may find the booking already paid or released. */
function describeBooked(
  named: string,
  { status, pending }: Pick<CallAnswer<'staff-create-booking'>, 'status' | 'pending'>,
  email: string,
): { readonly title: string; readonly description: string } {
  if (status === 'cancelled')
    return { title: `${named} already released`, description: 'These hours are no longer held.' };
  if (status === 'confirmed') return { title: `${named} booked`, description: `${email} will get an email.` };
  return {
    title: `${named} held`,
    description: pending === true ? `We’ll email the payment link to ${email}.` : 'The payment is being processed.',
  };
}

/** Milliseconds without typing before the search starts. */
const TYPED_MS = 250;
const LETTERS_MIN = 3;

/**
 * Lists people who booked before or have an account, and whose name, address or phone number contains the typed words. Choosing a person
 * fills in the form.
 */
function KnownPeople({ words, onChoose }: { words: string; onChoose: (person: KnownPerson) => void }) {
  const settled = useSettled(words.trim(), TYPED_MS) ?? '';
  const isAsked = settled.length >= LETTERS_MIN;
  const people = useQuery({
    queryKey: queryKeys.knownPeople.of(settled),
    queryFn: () => readKnownPeople(settled),
    enabled: isAsked,
    staleTime: 60_000,
    // No retry, because the next letter starts another search.
    retry: false,
  });
  if (!isAsked) return null;
  if (people.isError)
    return (
      <Notice tone="warn">
        <p>Known customers could not be loaded. Type the details instead.</p>
      </Notice>
    );
  return (
    <div role="group" aria-label="Known customers" className="space-y-2">
      <p role="status" className="text-sm text-fog">
        {people.data === undefined
          ? 'Looking for known customers…'
          : people.data.length === 0
            ? 'No known customers match.'
            : 'Choose a known customer to fill in the form.'}
      </p>
      <ul className="space-y-2">
        {people.data?.map((person) => (
          <li key={person.email}>
            <button
              type="button"
              className="min-h-11 w-full border border-edge bg-deck px-4 py-2 text-left break-words hover:border-chalk"
              onClick={() => onChoose(person)}
            >
              {person.name}
              <span className="block text-sm text-fog">
                {[person.email, person.phone, person.hasAccount ? null : 'no account'].filter(Boolean).join(', ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
