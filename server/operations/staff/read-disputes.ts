import type { Services } from '../core/services.ts';

/** A dispute as last reported by the payment provider. */
export type BookingDispute = {
  readonly id: string;
  readonly status: 'open' | 'won' | 'lost';
  /** In the provider's terms, for example 'under_review'. */
  readonly providerStatus: string;
  readonly needsResponse: boolean;
  readonly reason: string | null;
  readonly amountCents: number;
  readonly dueAt: Date | null;
  readonly openedAt: Date;
};
/** `held`: whether the access code of the booking is held until staff decide. */
export type BookingDisputes = { readonly disputes: readonly BookingDispute[]; readonly held: boolean };

/** Reads the disputes of a booking's payments, oldest first. A dispute of a series belongs to each of its bookings. */
export async function readDisputes({ db }: Services, bookingId: string): Promise<readonly BookingDispute[]> {
  const { rows } = await db.query<BookingDispute>(
    `select d.id, d.status, d.provider_status as "providerStatus", d.needs_response as "needsResponse", d.reason,
       d.amount_cents as "amountCents", d.due_at as "dueAt", d.opened_at as "openedAt"
     from private.dispute d join private.payment x on x.id = d.payment_id
     join private.payment p on p.id = x.id or p.share_of = x.id where p.booking_id = $1::uuid order by d.opened_at, d.id`,
    [bookingId],
  );
  return rows;
}

/** Reads the disputes of a booking, and whether they hold its access code. */
export async function readDisputesAndHold(services: Services, bookingId: string): Promise<BookingDisputes> {
  const row = await services.db.queryRow<{ held: boolean }>(
    `select exists (select from private.code_hold(b.id)) as held from private.booking b
     where b.id = $1::uuid and b.status = 'confirmed' and b.end_time > $2::timestamptz`,
    [bookingId, services.clock()],
  );
  return { disputes: await readDisputes(services, bookingId), held: row?.held === true };
}
