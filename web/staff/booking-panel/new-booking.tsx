import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type HoursChoice, HoursForm } from './hours-form.tsx';
import { nameBookings } from './money-words.ts';
import { type PayLink, PersonForm, type PricedStudio } from './person-form.tsx';

/** Makes a booking for a person on the phone: first the hours, then the person and the payment. A payment link can be copied. */
export function NewBooking({
  studios,
  date,
  hours = {},
  mayGive,
  onDone,
  onBack,
}: {
  studios: readonly PricedStudio[];
  /** The day that is preselected. */
  date: string;
  /** The studio and hours that are preselected. */
  hours?: { readonly studioId?: string; readonly hour?: string; readonly hours?: string };
  /** Whether the account has the permission `money`. Without it, bookings are paid by link at the list price. */
  mayGive: boolean;
  onDone: (reference: string) => void;
  onBack: () => void;
}) {
  const [chosen, setChosen] = useState<HoursChoice | null>(null);
  const [link, setLink] = useState<PayLink | null>(null);
  const [typed] = useState({ studioId: studios[0]?.id ?? '', date, hour: '18', hours: '2', ...hours });
  if (link !== null) return <PayLinkPanel link={link} onDone={() => onDone(link.reference)} />;
  if (chosen !== null)
    return (
      <PersonForm
        studio={studios.find(({ id }) => id === chosen.studioId)}
        hours={chosen}
        mayGive={mayGive}
        onLink={setLink}
        onDone={onDone}
        onBack={() => setChosen(null)}
      />
    );
  return <HoursForm studios={studios} initial={typed} note="Sydney time." onChoose={setChosen} onBack={onBack} />;
}

/** Shows the payment link of a new booking or series, to copy into a message. */
function PayLinkPanel({ link: { reference, bookings, url, email }, onDone }: { link: PayLink; onDone: () => void }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(url);
    toast({ title: 'Link copied' });
  };
  return (
    <div role="group" aria-label={`Payment for ${reference}`} className="space-y-4">
      <p>
        {nameBookings(reference, bookings)} held until {bookings === 1 ? 'it is' : 'they are'} paid. We emailed the
        payment link to {email}. You can also copy it into a text message.
      </p>
      <Field label="Payment link" value={url} readOnly onFocus={({ target }) => target.select()} />
      <div className="flex flex-wrap gap-3">
        <Button
          onClick={() =>
            void copy().catch(() => toast({ title: 'Error', description: 'Select the link and copy it.', tone: 'bad' }))
          }
        >
          Copy link
        </Button>
        <Button tone="plain" onClick={onDone}>
          Open booking
        </Button>
      </div>
    </div>
  );
}
