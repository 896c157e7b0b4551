import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, readPayment, span, type TestServer } from '#tests/support/test-server.ts';

/** Words that appear in every personal field of the account that is deleted. */
const NAME = 'Zephyrine Quillfeather';
const PHONE = '+61499887766';
const SECRET = 'zzsecretzz';

/**
 * The fate of every column that can hold an account, an address, a number or a name when its account is deleted. A new column fails the
 * test below until it is listed here and `private.delete_account` handles it.
 */
const GONE = `auth.flow_state.link_user_id auth.flow_state.user_id auth.identities.user_id auth.identities.email auth.mfa_factors.user_id
  auth.mfa_factors.phone auth.mfa_factors.friendly_name auth.one_time_tokens.user_id auth.one_time_tokens.email auth.one_time_tokens.phone
  auth.sessions.user_id auth.sessions.ip auth.signup_attempts.user_id auth.signup_attempts.ip auth.users.id auth.users.email auth.users.phone
  auth.users.email_change auth.users.phone_change auth.replaced_emails.user_id auth.replaced_emails.email auth.replaced_emails.phone auth.webauthn_challenges.user_id auth.webauthn_credentials.user_id
  auth.webauthn_credentials.friendly_name private.crew_member.name private.verified_name.account_name private.customer_block.user_id private.customer_message.user_id private.customer_note.user_id
  private.identity_session.user_id private.lost_verification.user_id private.outbox.recipient private.provider_customer.user_id
  private.provider_customer.customer_id private.provider_customer.email private.staff_invitation.email
  private.incident.customer_id private.rating.user_id
  public.booking_drafts.user_id public.id_verifications.user_id public.id_verifications.extracted_full_name
  public.id_verifications.extracted_first_name public.id_verifications.extracted_middle_name public.id_verifications.extracted_last_name
  public.mailing_list.email public.profiles.id public.profiles.user_id public.profiles.full_name public.profiles.email public.profiles.phone
  public.profiles.dj_name public.profiles.address public.profiles.remind_by_email public.profiles.thank_by_email public.scheduled_emails.recipient_email public.terms_acceptances.user_id storage.objects.owner
  storage.uploads.owner public.waitlist_entries.user_id`;
/** These columns are emptied; their rows stay. */
const EMPTIED = `auth.audit_log_entries.ip_address private.booking.user_id private.booking.contact_phone private.booking.guest_email
  private.coupon_redemption.user_id private.incident.reporter public.discount_codes.customer_email auth.mfa_challenges.ip_address`;
/** The buyer's name stays with a paid booking until the tax records expire. */
const KEPT_FOR_TAX = 'private.booking.guest_name';
/** An id that identifies no one once the account is deleted: the audit log keeps it. */
const ONLY_A_NUMBER = 'public.audit_logs.actor';
/** Columns that hold ids of staff, whose accounts cannot be deleted, or the nil UUID. */
const OF_STAFF = `private.booking.made_by private.booking.no_show_by private.booking_move.actor private.booking_note.made_by
  private.calendar_feed.created_by private.campaign.made_by private.cancellation.actor private.closure.created_by private.customer_block.blocked_by
  private.customer_message.made_by private.customer_note.made_by private.gift_batch.made_by private.id_review.decided_by
  private.id_withdrawal.withdrawn_by private.incident.answered_by private.incident.changed_by private.ledger_check.started_by private.lock_event.actor
  private.kept_dispute.kept_by private.missing_id.kept_by private.outbox.closed_by private.partial_refund.actor private.staff_code.made_by private.staff_code.name
  private.staff_invitation.invited_by private.staff_invitation.accepted_by private.undo.actor public.business_settings.created_by
  public.staff_permissions.user_id public.user_roles.user_id storage.buckets.owner`;
/** Columns that hold names of things. */
const NOT_PERSONAL = `private.booking.studio_name private.code_object.name private.lease.name private.ledger_difference.name private.migrations.name private.rate_bucket.name
  private.settings.name private.task_lease.name public.special_days.name public.studios.name storage.buckets.name storage.objects.name storage.uploads.name`;
const PERSONAL =
  '(^|_)(user_id|owner|actor|email|phone|recipient|name|reporter|ip|ip_address|address|email_change|phone_change)$|_by$|^(customer|buyer|guest|host|member)';

const list = (text: string): string[] => text.split(/\s+/);

describe.each(engines)('the end of an account on $name', ({ open }) => {
  let server: TestServer;
  let customer: Customer;
  let hoursAhead = 24 * 3;
  beforeAll(async () => {
    server = await open();
  }, 180_000);
  afterAll(() => server.close());
  beforeEach(async () => {
    customer = await server.addCustomer();
    hoursAhead += 4;
  });

  const query = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    server.app.db.query<R>(text, values).then(({ rows }) => rows);
  const remove = (more: Record<string, unknown> = {}, token = customer.token) =>
    server.call('delete-account', { confirm: 'DELETE', ...more }, token);
  async function book(): Promise<string> {
    const held = await server.call('create-payment', checkout(span(server.now(), hoursAhead)), customer.token);
    await server.sandbox(`/api/payments/${(await readPayment(server, held.body['bookingId'])).id}`, {
      outcome: 'paid',
    });
    await server.settle();
    return String(held.body['bookingId']);
  }
  /** Finds the rows in every table that contain one of these words. */
  async function rowsWith(words: readonly string[]): Promise<string[]> {
    const tables = await query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('auth', 'storage', 'private', 'public') and c.relkind = 'r' and has_table_privilege(c.oid, 'select') order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await query<{ row: string }>(
        `select t::text as row from ${name} t where exists (select from unnest($1::text[]) w where strpos(lower(t::text), lower(w)) > 0)`,
        [words],
      );
      found.push(...rows.map(() => name));
    }
    return found;
  }

  it('every column that can hold a person has a decision', async () => {
    const found = await query<{ name: string }>(
      `select n.nspname || '.' || c.relname || '.' || a.attname as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('auth', 'storage', 'private', 'public') and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and (a.attname ~ $1 or exists (select from pg_constraint k where k.contype = 'f' and k.confrelid = 'auth.users'::regclass
           and k.conrelid = c.oid and a.attnum = any (k.conkey)) or c.oid = 'auth.users'::regclass and a.attname = 'id')
       order by 1`,
      [PERSONAL],
    );
    const decided = [GONE, EMPTIED, KEPT_FOR_TAX, ONLY_A_NUMBER, OF_STAFF, NOT_PERSONAL].flatMap(list);
    expect(found.map(({ name }) => name).toSorted()).toEqual(decided.toSorted());
  });

  it.each([[false], [true]])(
    'ends by the service key with the same erasure, after its bookings and its place on the team (softly: %s)',
    async (softly) => {
      const { id, email } = customer;
      const name = `Quentin Kept ${softly}`;
      const paid = await book();
      await query('update public.profiles set full_name = $2, dj_name = $3 where user_id = $1::uuid', [
        id,
        name,
        SECRET,
      ]);
      await query('update private.booking set contact_phone = $2 where id = $1::uuid', [paid, PHONE]);
      const service = createClient(server.url, server.app.keys.serviceRoleKey, {
        auth: { persistSession: false, autoRefreshToken: false },
      }).auth.admin;
      const refusal = async () => (await service.deleteUser(id, softly)).error;
      const conflict = (call: string) => ({ status: 409, code: 'conflict', message: expect.stringContaining(call) });
      expect(await refusal()).toMatchObject(conflict('staff-cancel-booking'));
      expect(await server.call('cancel-booking', { bookingId: paid }, customer.token)).toMatchObject({ status: 200 });
      await server.settle();
      await query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
      expect(await refusal()).toMatchObject(conflict('staff-remove'));
      expect(await query('select 1 from public.profiles where user_id = $1::uuid', [id])).toHaveLength(1);
      await query('delete from public.user_roles where user_id = $1::uuid', [id]);

      expect((await service.deleteUser(id, softly)).error).toBeNull();
      expect(await rowsWith([email, PHONE, SECRET])).toEqual([]);
      expect(await query('select user_id, guest_name from private.booking where id = $1::uuid', [paid])).toEqual([
        { user_id: null, guest_name: name },
      ]);
      expect(await query('select email, phone from auth.users where id = $1::uuid', [id])).toEqual(
        softly ? [{ email: null, phone: null }] : [],
      );
      expect(await query('select 1 from public.profiles where user_id = $1::uuid', [id])).toEqual([]);
      expect((await service.getUserById(id)).error).toMatchObject({ status: 404 });
    },
  );

  it(
    'leaves nothing of the person but the name with a paid booking and its invoice, and ends the session [spec 10.21]',
    { timeout: 60_000 },
    async () => {
      const paid = await book();
      const { id, email } = customer;
      await query(
        'update public.profiles set full_name = $2, phone = $3, dj_name = $4, address = $4 where user_id = $1::uuid',
        [id, NAME, PHONE, SECRET],
      );
      await query('update private.booking set contact_phone = $2, notes = $3 where id = $1::uuid', [
        paid,
        PHONE,
        SECRET,
      ]);
      // Simulates a document that was issued under this name.
      await query(
        `update private.document set content = jsonb_set(content, '{buyer,name}', to_jsonb($2::text)) where booking_id = $1::uuid`,
        [paid, NAME],
      );
      for (const statement of [
        `insert into private.customer_note (id, user_id, note, made_by) values (gen_random_uuid(), $1::uuid, '${SECRET}', gen_random_uuid())`,
        `insert into private.customer_message (id, user_id, subject, body, made_by, created_at) values (gen_random_uuid(), $1::uuid, '${SECRET}', '${SECRET}', gen_random_uuid(), now())`,
        `insert into public.booking_drafts (user_id, data) values ($1::uuid, '{"x": "${SECRET}"}')`,
        `update public.id_verifications set extracted_full_name = '${NAME}', image_path = 'objects/of-nobody' where user_id = $1::uuid`,
        `select private.audit(gen_random_uuid(), 'create', 'customer_note', $1::uuid::text, '{"after": "${SECRET}"}')`,
        `insert into auth.audit_log_entries (payload, ip_address, created_at) values (jsonb_build_object('action', 'login', 'actor_id', $1::uuid, 'note', '${SECRET}'), '203.0.113.99', now())`,
      ])
        await query(statement, [id]);
      await query(`insert into public.mailing_list (email) values ($1)`, [email]);
      await query(
        `insert into public.discount_codes (code, discount_type, discount_value, customer_email) values ('FORONE', 'percentage', 10, $1)`,
        [email],
      );
      await query(
        `insert into private.booking_note (id, booking_id, note, made_by) values (gen_random_uuid(), $1::uuid, $2, gen_random_uuid())`,
        [paid, SECRET],
      );
      const blank = { create: { width: 64, height: 48, channels: 3, background: '#fff' } } as const;
      const picture = await sharp(blank).jpeg().toBuffer();
      const stored = await server
        .client(customer.token)
        .storage.from('id-verifications')
        .upload(`${id}/me_1_id.jpg`, picture, { contentType: 'image/jpeg' });
      expect(stored.error).toBeNull();

      await query(
        `insert into auth.replaced_emails (id, user_id, email, factor_ids, replaced_at, expires_at)
         values (gen_random_uuid(), $1::uuid, 'earlier@example.com', '{}', $2::timestamptz, $2::timestamptz + interval '72 hours')`,
        [id, server.now()],
      );
      const exported = await server.call('export-my-data', {}, customer.token);
      expect(exported.body).toMatchObject({
        account: { email },
        earlierAddresses: [{ email: 'earlier@example.com', phone: null }],
        profile: { full_name: NAME, dj_name: SECRET },
        bookings: [{ status: 'confirmed', contactPhone: PHONE, payments: [{ state: 'paid' }] }],
        emailsFromStaff: [{ text: SECRET }],
        draft: { x: SECRET },
        mailingList: { leftAt: null },
        files: [{ name: `${id}/me_1_id.jpg` }],
      });

      expect(await remove()).toMatchObject({
        status: 409,
        body: { error: { code: 'bookings_ahead', bookings: [{ id: paid, status: 'confirmed' }] } },
      });
      server.advance((hoursAhead + 2) * 3_600_000);
      const fresh = await renewed(server, customer);
      const deleted = await remove({}, fresh);
      expect(deleted).toEqual({ status: 200, body: { deleted: true, kept: 1, keptUntil: taxEnd(server.now()) } });
      expect((await server.call('export-my-data', {}, fresh)).status).toBe(401);

      expect(await rowsWith([email, 'earlier@example.com', PHONE, SECRET, '203.0.113.99'])).toEqual([]);
      // The next cleanup deletes the bytes of the file and the picture of the ID.
      expect(await query('select 1 from storage.deletion_queue')).toHaveLength(1);
      await server.settle();
      expect(await query('select 1 from storage.deletion_queue')).toHaveLength(0);
      expect(await query(`select 1 from private.outbox where kind = 'image.delete' and done_at is null`)).toHaveLength(
        0,
      );
      expect(await rowsWith([NAME])).toEqual(['private.booking', 'private.document']);
      expect(await query(`select active, customer_email from public.discount_codes where code = 'FORONE'`)).toEqual([
        { active: false, customer_email: null },
      ]);
      expect(
        await query(
          `select b.user_id, b.status, b.name_until::text as until, x.state from private.booking b join private.payment x on x.booking_id = b.id where b.id = $1::uuid`,
          [paid],
        ),
      ).toEqual([{ user_id: null, status: 'confirmed', until: taxEnd(server.now()), state: 'paid' }]);
      // The tax records expire: `forget_buyers` runs on their last day and on the day after.
      await query('select private.forget_buyers($1::timestamptz)', [`${taxEnd(server.now())}T12:00:00+10:00`]);
      expect(await rowsWith([NAME])).toEqual(['private.booking', 'private.document']);
      await query(`select private.forget_buyers($1::timestamptz + interval '1 day')`, [
        `${taxEnd(server.now())}T12:00:00+10:00`,
      ]);
      expect(await rowsWith([NAME])).toEqual([]);
    },
  );

  it('needs the word, a young session or the password, and no role', async () => {
    expect(await server.call('delete-account', { confirm: 'delete' }, customer.token)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'confirm' } },
    });
    await query(`update auth.sessions set created_at = created_at - interval '11 minutes' where user_id = $1::uuid`, [
      customer.id,
    ]);
    // This account has no password. auth-sign-in-methods.test.ts covers an account with one.
    expect(await remove()).toMatchObject({ status: 403, body: { error: { code: 'reauthentication_needed' } } });
    expect(await remove({ currentPassword: 'wrong' })).toMatchObject({
      status: 403,
      body: { error: { code: 'current_password_invalid' } },
    });
    expect(await remove({ nonce: '000000' })).toMatchObject({
      status: 422,
      body: { error: { code: 'reauthentication_not_valid' } },
    });
    await query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [customer.id]);
    expect(await remove({}, await renewed(server, customer))).toMatchObject({
      status: 409,
      body: { error: { code: 'staff_account' } },
    });
    expect(await query('select id from auth.users where id = $1::uuid', [customer.id])).toHaveLength(1);
  });

  it('an audit row changes for an erased account only, and only its words', async () => {
    await query(`select private.audit(null, 'create', 'customer_note', $1, '{"after": "words"}')`, [customer.id]);
    const change = (to: string, erasing: boolean) =>
      server.app.db.transaction(async (tx) => {
        if (erasing) await tx.query(`select set_config('private.erasing', 'on', true)`);
        await tx.query(`update public.audit_logs set ${to} where resource_id = $1`, [customer.id]);
      });
    await expect(change(`details = '{"erased": true}'`, false)).rejects.toMatchObject({ code: '42501' });
    for (const to of [`details = '{"after": "others"}'`, `details = '{"erased": true}', actor = gen_random_uuid()`])
      await expect(change(to, true)).rejects.toMatchObject({ code: '42501' });
    await expect(
      server.app.db.transaction(async (tx) => {
        await tx.query(`select set_config('private.erasing', 'on', true)`);
        await tx.query('delete from public.audit_logs where resource_id = $1', [customer.id]);
      }),
    ).rejects.toMatchObject({ code: '42501' });
    await change(`details = '{"erased": true}'`, true);
  });
});

/** Returns the last day of the fifth financial year after that of `now`, in Sydney. */
function taxEnd(now: Date): string {
  const month = now.toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' }).slice(0, 7);
  const [year = 0, ofYear = 0] = month.split('-').map(Number);
  return `${String(year + (ofYear > 6 ? 1 : 0) + 5)}-06-30`;
}

/** Signs the person in again at the server's current time. */
async function renewed(server: TestServer, { id, email }: Customer): Promise<string> {
  const sessionId = randomUUID();
  await server.app.db.query(
    `insert into auth.sessions (id, user_id, created_at, refreshed_at, method) values ($1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, 'password')`,
    [sessionId, id, server.now()],
  );
  const claims = { sub: id, aud: 'authenticated', role: 'authenticated', email, session_id: sessionId };
  return server.app.keys.sign(claims, 36_000, server.now());
}
