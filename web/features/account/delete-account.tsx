import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { formatStudioDate, formatStudioRange } from '#rules/studio-time.ts';
import { type AskedProof, findProofStep } from '#web/data/account/owner-proof.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { CodeField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { CodeInstead } from './code-instead.tsx';
import { deleteAccount } from './queries.ts';

/**
 * Asks for confirmation before the account is deleted, and names what is deleted and what is kept. If bookings have not ended, lists them
 * instead, because they prevent the deletion.
 */
export function DeleteAccount({
  userId,
  onKeep,
  onDeleted,
}: {
  userId: string;
  onKeep: () => void;
  onDeleted: () => void;
}) {
  const bookings = useOwnBookings(userId);
  const now = useNow(30_000);
  return (
    <Loaded query={bookings} what="your bookings" skeleton="h-56">
      {(own) => {
        const ahead = own.filter((booking) => booking.status !== 'cancelled' && booking.endTime > now);
        return ahead.length > 0 ? (
          <BookingsAhead bookings={ahead.toReversed()} onKeep={onKeep} />
        ) : (
          <Confirmation onKeep={onKeep} onDeleted={onDeleted} />
        );
      }}
    </Loaded>
  );
}

function BookingsAhead({ bookings, onKeep }: { bookings: readonly OwnBooking[]; onKeep: () => void }) {
  return (
    <div className="space-y-5">
      <p>
        You can delete your account once these bookings are over or cancelled. You can cancel them under “Your
        bookings”.
      </p>
      <ul className="divide-y divide-line border-y border-line">
        {bookings.map((booking) => (
          <li key={booking.id} className="py-3">
            <p className="font-semibold">{booking.studioName}</p>
            <p className="text-sm text-fog">
              {formatStudioRange(booking.startTime, booking.endTime)}, Sydney time · {booking.reference}
            </p>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" onClick={onKeep}>
          Back to my account
        </Button>
        <Link to={paths.bookings} className={buttonStyle.plain}>
          Your bookings
        </Link>
      </div>
    </div>
  );
}

const EMPTY = { confirm: '', currentPassword: '', nonce: '' };
const schema = z.object({
  confirm: z.string().refine((typed) => typed.trim() === 'DELETE', 'Type DELETE in capital letters.'),
  currentPassword: z.string(),
  nonce: z.string(),
});

function Confirmation({ onKeep, onDeleted }: { onKeep: () => void; onDeleted: () => void }) {
  const form = useSchemaForm(schema, { defaultValues: EMPTY });
  const { control, setFocus } = form;
  const [proof, setProof] = useState<AskedProof>('none');
  useEffect(() => {
    if (proof === 'password') setFocus('currentPassword');
    if (proof === 'code') setFocus('nonce');
  }, [proof, setFocus]);
  const remove = useMutation({
    mutationFn: deleteAccount,
    meta: { handled: true },
    onSuccess: ({ kept, keptUntil }) => {
      toast({ title: 'Your account is deleted', description: describeKept(kept, keptUntil) });
      onDeleted();
    },
    onError: (error) => {
      const { field, asks } = findProofStep(error);
      if (asks !== null) setProof(asks);
      const message = describeError(error, 'We couldn’t delete your account. Please try again.');
      refuseForm(form, { message, ...(field === null ? {} : { field }) });
    },
  });
  return (
    <Form form={form} onSend={remove.mutateAsync} getTitle={() => null} className="space-y-5">
      <p>
        Your profile, ID checks and pictures, devices, passkeys, drafts, newsletter and waiting emails are gone at once.
        You can’t undo this.
      </p>
      <p className="border-l-4 border-line bg-deck p-4 text-sm text-fog">
        Tax law makes us keep the bookings you paid for, their payments and refunds, and your name with them, for five
        years after the end of the financial year. Nothing else stays.
      </p>
      <TextField
        control={control}
        name="confirm"
        label="Type DELETE to confirm"
        autoComplete="off"
        spellCheck={false}
      />
      {proof === 'password' ? (
        <TextField
          control={control}
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
      ) : null}
      {proof === 'code' ? <CodeField control={control} name="nonce" label="6-digit code" digits={6} /> : null}
      {proof === 'password' || proof === 'choice' ? <CodeInstead onMailed={() => setProof('code')} /> : null}
      <FormEnd control={control} tone="danger" leave="Keep it" onLeave={onKeep}>
        Delete my account
      </FormEnd>
    </Form>
  );
}

function describeKept(kept: number, until: string | null): string {
  if (kept === 0 || until === null) return 'We keep nothing about you.';
  const what = kept === 1 ? 'one paid booking' : `${kept} paid bookings`;
  return `Tax law keeps ${what} with your name until ${formatStudioDate(new Date(`${until}T12:00:00+10:00`))}.`;
}
