import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { EXPORT_KINDS } from '#server/operations/exports/kinds.ts';
import { addPerson, createBookingSystem, embedded } from './booking-system.ts';

/**
 * The places that show each column of a booking. `shown`: on the customer's page and in the staff panel; `panel`: only in the panel;
 * `file`: in the export of bookings; `own`: in the data that an account downloads about itself. List a new column here with its places, or
 * with the reason why it has none. A column that only `private.booking_columns()` shows, under its own name, needs no entry.
 */
type Places = { readonly shown?: string; readonly panel?: string; readonly file?: string; readonly own?: string };
const COLUMNS: Readonly<Record<string, Places | string>> = {
  id: { shown: 'id' },
  reference: { shown: 'reference', file: 'Reference', own: 'reference' },
  user_id: { panel: 'customer' },
  studio_name: { shown: 'studioName', file: 'Studio', own: 'room' },
  start_time: { shown: 'startTime', file: 'Start', own: 'startTime' },
  end_time: { shown: 'endTime', file: 'End', own: 'endTime' },
  during: 'It is made of the start and the end.',
  status: { shown: 'status', file: 'Status', own: 'status' },
  cancel_reason: { shown: 'cancelReason', file: 'Cancelled because', own: 'cancelReason' },
  total_hours: { shown: 'totalHours', file: 'Hours' },
  slots: { own: 'hours' },
  base_cost_cents: { shown: 'baseCents', file: 'Base', own: 'base' },
  discount_cents: { shown: 'discountCents', file: 'Volume discount', own: 'discount' },
  coupon_id: 'The terms of the coupon at the time of the booking are shown.',
  coupon_terms: { shown: 'couponCode', file: 'Coupon', own: 'coupon' },
  coupon_discount_cents: { shown: 'couponCents', file: 'Coupon discount', own: 'discount' },
  final_cost_cents: { shown: 'finalCents', file: 'Total', own: 'total' },
  id_verification_id: 'The panel shows the newest check of the account.',
  terms_version: { own: 'termsVersion' },
  policy: { shown: 'freeCancelHours' },
  contact_phone: { panel: 'customer', file: 'Phone', own: 'contactPhone' },
  guest_email: { panel: 'customer', file: 'Email' },
  guest_name: { panel: 'customer', file: 'Customer' },
  notes: { panel: 'notes' },
  created_at: { shown: 'createdAt', file: 'Made', own: 'createdAt' },
  updated_at: 'The times of what happened are shown.',
  confirmed_at: { shown: 'confirmedAt', file: 'Confirmed', own: 'confirmedAt' },
  cancelled_at: { shown: 'cancelledAt', file: 'Cancelled', own: 'cancelledAt' },
  made_by: { panel: 'history' },
  request_id: 'It tells a repeated call from a second one.',
  waived_cents: { shown: 'waivedCents', file: 'Not charged' },
  moves: { panel: 'moves', own: 'moves' },
  moves_booking: 'Only a hold of new hours has it; both pages show the booking that moves.',
  move_number: 'Only a hold of new hours has it.',
  no_show_at: { panel: 'noShow' },
  no_show_by: { panel: 'noShow' },
  waitlist_entry_id: 'Only a claim of the wait list has it.',
  name_until: 'It says when the name of a guest is deleted.',
  order_id: 'Both pages read the series with public.order_of_booking.',
  order_place: 'As order_id.',
  order_size: 'As order_id.',
  kept_in_block: 'Staff see it in the list of blocked bookings.',
  early: 'Only a hold while an ID is verified has it.',
};
const getNames = (place: keyof Places): string[] => [
  ...new Set(
    Object.values(COLUMNS).flatMap((column) => {
      const name = typeof column === 'string' ? undefined : column[place];
      return name === undefined ? [] : [name];
    }),
  ),
];

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());

/** The JSON name of a column that is not renamed. */
const toOwnName = (column: string): string => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

async function readColumns(): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'private.booking'::regclass and attnum > 0 and not attisdropped`,
  );
  return rows.map(({ name }) => name);
}
const readShown = async (): Promise<string[]> => {
  const row = await db.queryRow<{ names: string[] }>(
    'select array(select jsonb_object_keys(private.booking_columns(null::private.booking))) as names',
  );
  return row?.names ?? [];
};

test('every column of a booking is shown under its own name, or listed with its places or with the reason why it has none', async () => {
  const [columns, shown] = [await readColumns(), await readShown()];
  expect(columns.filter((name) => !(name in COLUMNS) && !shown.includes(toOwnName(name)))).toEqual([]);
  expect(Object.keys(COLUMNS).filter((name) => !columns.includes(name))).toEqual([]);
});

test('the page of a booking, the panel of staff, the export and the download of own data have what the list says', async () => {
  const system = await createBookingSystem(db);
  const person = await addPerson(db);
  const { id } = await system.book(person);
  const row = await db.transaction(async (tx) => {
    await tx.query(`select set_config('request.jwt.claims', $1, true)`, [
      JSON.stringify({ sub: person, role: 'authenticated' }),
    ]);
    const page = await tx.queryRow<{ keys: string[] }>(
      `select array(select jsonb_object_keys(public.own_booking($1))) as keys`,
      [id],
    );
    await tx.query(`select set_config('request.jwt.claims', '{"role":"service_role"}', true)`);
    return tx.queryRow<{ page: string[]; panel: string[]; own: string[]; shown: string[] }>(
      `select $2::text[] as page, array(select jsonb_object_keys(public.booking_details(b.reference))) as panel,
         array(select jsonb_object_keys(private.export_booking(b))) as own,
         array(select jsonb_object_keys(private.booking_columns(b))) as shown
       from private.booking b where b.id = $1::uuid`,
      [id, page?.keys ?? []],
    );
  });
  const ownNames = (await readColumns()).filter((name) => !(name in COLUMNS)).map(toOwnName);
  expect(row?.shown.toSorted()).toEqual([...getNames('shown'), ...ownNames].toSorted());
  expect(row?.page).toEqual(expect.arrayContaining(getNames('shown')));
  expect(row?.panel).toEqual(expect.arrayContaining([...getNames('shown'), ...getNames('panel')]));
  expect(row?.own).toEqual(expect.arrayContaining(getNames('own')));
  expect(EXPORT_KINDS.bookings.columns).toEqual(expect.arrayContaining(getNames('file')));
});
