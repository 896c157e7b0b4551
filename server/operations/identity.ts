import { randomUUID } from 'node:crypto';
import { adultFrom, judgeLicence, UNDER_AGE, verificationExpiry } from '#rules/identity.ts';
import { formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type {
  IdentityChecks,
  IdentitySession,
  IdReader,
  LicenceReading,
  ObjectStore,
  PictureDecoder,
} from '#server/providers/ports.ts';
import { prepareImage } from './id-image.ts';
import { createCheckQueue } from './identity/check-queue.ts';
import { enqueue, type Job, type JobOutcome } from './outbox.ts';
import { Refusal } from './core/refusal.ts';

export type Judgement = ReturnType<typeof judgeLicence>;

/** A decision, with the reading and judgement behind it. */
export type Verification = {
  readonly id: string;
  readonly reading: LicenceReading;
  readonly judgement: Judgement;
  /** 'YYYY-MM-DD' of the profile it was compared with. */
  readonly profileBirthDate: string | null;
};

export type HostedStatus = {
  readonly verified: boolean;
  readonly status: 'requires_input' | 'processing' | 'verified' | 'review' | 'failed' | 'canceled';
  readonly error: string | null;
};

export type Identity = {
  /** Reads a licence photo, compares it with the profile and stores the decision. Throws `Refusal`. */
  verifyPhoto(userId: string, bytes: Uint8Array): Promise<Verification>;
  /** Starts a check on the provider's own page. Throws `Refusal`: `not_configured` without a hosted check. */
  beginHosted(userId: string, email: string): Promise<{ id: string; url: string }>;
  /** Reads the state of a customer's hosted check and stores the decision once there is one. */
  checkHosted(userId: string, sessionId: string): Promise<HostedStatus>;
  /** Outbox: deletes a picture that was kept for review. */
  deleteImage(job: Job): Promise<JobOutcome>;
};

/** A picture kept for review is deleted after this many days at the latest. */
const REVIEW_DAYS = 7;

type Profile = { fullName: string | null; dateOfBirth: string | null };
/** What a decision is stored with. */
type Decision = {
  readonly source: 'photo' | 'hosted';
  readonly reading: LicenceReading;
  readonly judgement: Judgement;
  /** The profile it was compared with. */
  readonly profile: { fullName: string; dateOfBirth: string | null };
  readonly imageKey: string | null;
  readonly sessionId: string | null;
};

/** Pictures that may wait for the reader; at 15 s each, the longest wait is 75 s. */
const WAITING_MAX = 4;
/** Tries before giving up on a profile that keeps changing during the check. */
const DECIDE_TRIES = 3;

const PROFILE = `select full_name as "fullName", date_of_birth as "dateOfBirth" from public.profiles where user_id = $1::uuid`;

export function createIdentity(context: {
  db: Database;
  reader: IdReader;
  pictures: PictureDecoder;
  /** null: photos only. */
  checks: IdentityChecks | null;
  store: ObjectStore;
  clock: Clock;
  siteUrl: string;
  /** How many pictures are read at the same time. */
  readAtOnce: number;
}): Identity {
  const { db, reader, pictures, checks, store, clock, siteUrl } = context;
  const queue = createCheckQueue({ atOnce: context.readAtOnce, waiting: WAITING_MAX });

  /** Refuses a customer whose licence said under 18, until that birthday, whatever other photo or check follows. Throws `Refusal`. */
  async function refuseMinor(userId: string): Promise<void> {
    const row = await db.one<{ born: string }>(
      `select v.extracted_dob as born from public.id_verifications v
       where v.user_id = $1::uuid and v.verification_status = 'failed' and v.extracted_dob is not null and $2 = any(v.failure_reasons)
       order by v.created_at desc limit 1`,
      [userId, UNDER_AGE],
    );
    if (!row) return;
    const adult = adultFrom(row.born);
    if (adult <= studioDate(clock())) return;
    throw new Refusal(
      'age_required',
      `Your licence says you turn 18 on ${formatStudioDate(adult)}. You can book from that day. If we read it wrong, please email ${venue.email}.`,
    );
  }

  function requireHostedChecks(): IdentityChecks {
    if (checks === null)
      throw new Refusal(
        'not_configured',
        'The online identity check isn’t available. Please use a photo of your licence.',
      );
    return checks;
  }

  async function profileOf(userId: string): Promise<{ fullName: string; dateOfBirth: string | null }> {
    const profile = await db.one<Profile>(PROFILE, [userId]);
    if (!profile?.fullName) throw new Refusal('invalid_request', 'Please fill in your name in your profile first.');
    return { fullName: profile.fullName, dateOfBirth: profile.dateOfBirth };
  }

  /**
   * Stores a decision and returns its id, or null when name or birth date changed meanwhile. The profile stays locked until
   * the decision is stored, so that a later change withdraws the verification.
   */
  async function write(userId: string, decision: Decision): Promise<string | null> {
    const { source, reading, judgement, profile, imageKey, sessionId } = decision;
    const now = clock();
    const today = studioDate(now);
    const verified = judgement.decision === 'verified';
    const id = randomUUID();
    const given = reading.givenNames?.split(/\s+/) ?? [];
    return db.transaction(async (tx) => {
      const current = await tx.one<Profile>(`${PROFILE} for update`, [userId]);
      if (current?.fullName !== profile.fullName || current.dateOfBirth !== profile.dateOfBirth) return null;
      if (sessionId !== null) {
        const open = await tx.one(
          `select 1 from private.identity_session where id = $1 and status = 'open' for update`,
          [sessionId],
        );
        if (!open) return id;
      }
      await tx.query(
        `insert into public.id_verifications (id, user_id, source, image_path, verification_status, failure_reasons, verified_at, expires_at, created_at,
           extracted_full_name, extracted_first_name, extracted_middle_name, extracted_last_name, extracted_dob, extracted_expiry_date,
           is_over_18, age_at_verification, is_expired, is_nsw_license, name_match_status, name_match_details, profile_dob, dob_matches, ai_confidence_score)
         values ($1::uuid, $2::uuid, $3, $4, $5, $6::text[], $7::timestamptz, $8::timestamptz, $9::timestamptz,
           $10, $11, $12, $13, $14::date, $15::date, $16::boolean, $17::int, $18::boolean, $19::boolean, $20, $21, $22::date, $23::boolean, $24::numeric)`,
        [
          id,
          userId,
          source,
          imageKey,
          judgement.decision,
          judgement.reasons,
          verified ? now : null,
          verified ? verificationExpiry(reading.expiry.iso, today) : null,
          now,
          [reading.givenNames, reading.familyName].filter(Boolean).join(' ') || null,
          given[0] ?? null,
          given.slice(1).join(' ') || null,
          reading.familyName,
          reading.dateOfBirth.iso,
          reading.expiry.iso,
          judgement.isOver18,
          judgement.age,
          judgement.isExpired,
          judgement.isNsw,
          judgement.nameMatch.status,
          judgement.nameMatch.details,
          profile.dateOfBirth,
          judgement.dobMatches,
          Math.min(1, Math.max(0, reading.confidence / 100)),
        ],
      );
      if (imageKey !== null) {
        await enqueue(tx, {
          kind: 'image.delete',
          subjectId: id,
          payload: { key: imageKey },
          dueAt: new Date(now.getTime() + REVIEW_DAYS * 86_400_000),
        });
      }
      if (sessionId !== null)
        await tx.query(
          `update private.identity_session set status = 'decided', verification_id = $2::uuid where id = $1`,
          [sessionId, id],
        );
      await tx.query(`select private.audit($2::uuid, 'create', 'id_verification', $1, $3::jsonb)`, [
        id,
        userId,
        { source, decision: judgement.decision },
      ]);
      return id;
    });
  }

  /** Compares a reading with the profile and stores the decision; again when the profile changed. `image` is kept only for review. */
  async function decide(
    userId: string,
    input: Pick<Decision, 'source' | 'reading' | 'sessionId'> & { image: Uint8Array | null },
  ): Promise<Verification> {
    const { image, ...rest } = input;
    for (let round = 0; round < DECIDE_TRIES; round += 1) {
      const profile = await profileOf(userId);
      const judgement = judgeLicence({ ...rest, profile, today: studioDate(clock()) });
      // Keep the picture only when a person has to decide.
      const imageKey = judgement.decision === 'review' && image !== null ? `review/${randomUUID()}.jpg` : null;
      if (imageKey !== null && image !== null) await store.put(imageKey, image);
      const id = await write(userId, { ...rest, judgement, profile, imageKey });
      if (id !== null) return { id, reading: rest.reading, judgement, profileBirthDate: profile.dateOfBirth };
      if (imageKey !== null) await store.remove(imageKey);
    }
    throw new Refusal(
      'invalid_request',
      'Your name or date of birth changed while we were reading your ID. Please try again.',
    );
  }

  async function verifyPhoto(userId: string, bytes: Uint8Array): Promise<Verification> {
    await refuseMinor(userId);
    await profileOf(userId);
    const { image, reading } = await queue.run(userId, async () => {
      const image = await prepareImage(pictures, bytes);
      return { image, reading: await reader.read(image).catch(throwUnavailable) };
    });
    return decide(userId, { source: 'photo', reading, sessionId: null, image });
  }

  async function checkHosted(userId: string, sessionId: string): Promise<HostedStatus> {
    const row = await db.one<{ status: string; decision: string | null; reasons: string[] | null }>(
      `select s.status, v.verification_status as decision, v.failure_reasons as reasons from private.identity_session s
       left join public.id_verifications v on v.id = s.verification_id where s.id = $1 and s.user_id = $2::uuid`,
      [sessionId, userId],
    );
    if (!row) throw new Refusal('not_found', 'Verification session not found');
    if (row.decision) return toHostedStatus(row.decision, row.reasons ?? []);
    const session = await requireHostedChecks().getSession(sessionId);
    if (session.status !== 'verified') {
      return {
        verified: false,
        status: session.status,
        error: session.status === 'requires_input' ? describeLastError(session.lastError) : null,
      };
    }
    const { judgement } = await decide(userId, {
      source: 'hosted',
      reading: readingOf(session),
      sessionId,
      image: null,
    });
    return toHostedStatus(judgement.decision, judgement.reasons);
  }

  return {
    verifyPhoto,
    checkHosted,
    async beginHosted(userId, email) {
      const provider = requireHostedChecks();
      await refuseMinor(userId);
      const count = await db.one<{ count: number }>(
        `select count(*)::int as count from private.identity_session where user_id = $1::uuid`,
        [userId],
      );
      let session: IdentitySession;
      try {
        session = await provider.createSession({
          key: `identity:${userId}:${count?.count ?? 0}`,
          userId,
          email,
          returnUrl: `${siteUrl}/verify-return`,
        });
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        throw new Refusal(
          'provider_unavailable',
          'The identity check cannot be reached right now. Please try again in a moment.',
        );
      }
      if (!session.url)
        throw new Refusal(
          'provider_unavailable',
          'The identity check cannot be reached right now. Please try again in a moment.',
        );
      await db.query(
        `insert into private.identity_session (id, user_id, created_at) values ($1, $2::uuid, $3::timestamptz) on conflict (id) do nothing`,
        [session.id, userId, clock()],
      );
      return { id: session.id, url: session.url };
    },
    async deleteImage(job) {
      const key = job.payload['key'];
      if (typeof key === 'string') await store.remove(key);
      await db.query(`update public.id_verifications set image_path = null where id = $1::uuid`, [job.subjectId]);
      return 'done';
    },
  };
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  throw new Refusal(
    'provider_unavailable',
    'Your ID could not be read right now. Please try again, or use the online check.',
  );
}

/** Converts the provider's result to a licence reading; the provider has checked the document itself. */
function readingOf(session: IdentitySession): LicenceReading {
  return {
    documentKind: 'driver_licence',
    issuingState: null,
    medium: 'physical',
    givenNames: session.firstName,
    familyName: session.lastName,
    dateOfBirth: { iso: session.dateOfBirth, printed: null },
    expiry: { iso: session.documentExpiry, printed: null },
    isLegible: true,
    issues: [],
    confidence: 100,
  };
}

function toHostedStatus(decision: string, reasons: readonly string[]): HostedStatus {
  if (decision === 'verified') return { verified: true, status: 'verified', error: null };
  const status = decision === 'review' ? 'review' : 'failed';
  return { verified: false, status, error: reasons[0] ?? 'We couldn’t verify your ID.' };
}

/** Translates Stripe Identity's last_error codes into advice for the customer. */
function describeLastError(code: string | null): string | null {
  if (code === null) return null;
  const messages: Readonly<Record<string, string>> = {
    abandoned: 'The check was not finished.',
    consent_declined: 'The check needs your consent to go on.',
    country_not_supported: 'Documents of this country cannot be checked.',
    device_not_supported: 'This device cannot be used for the check. Please try another.',
    document_expired: 'The document has expired.',
    document_type_not_supported: 'This kind of document cannot be checked. Please use a driver licence.',
    under_supported_age: 'You must be 18 years or older.',
  };
  return messages[code] ?? 'The document could not be verified. Please try again.';
}
