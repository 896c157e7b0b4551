import { ProviderError } from '#server/providers/call.ts';
import type { IdentityChecks, IdentitySession, LicenceReading } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';
import { decide } from './decide.ts';
import { explainDecision, refuseMinor } from './refuse-minor.ts';
import type { Services } from '../core/services.ts';

export type HostedStatus = {
  readonly verified: boolean;
  readonly status: IdentitySession['status'] | 'review' | 'failed';
  readonly error: string | null;
};

/**
 * Starts a check on the provider's own page and returns its id and URL. Throws `Refusal`: `not_configured` without a hosted check,
 * `age_required`, `provider_unavailable`.
 */
export async function startHostedCheck(
  services: Services,
  userId: string,
  email: string,
): Promise<{ id: string; url: string }> {
  const { db, clock } = services;
  const checks = requireHostedChecks(services);
  await refuseMinor(services, userId);
  const count = await db.queryRow<{ count: number }>(
    `select count(*)::int as count from private.identity_session where user_id = $1::uuid`,
    [userId],
  );
  const { id, url } = await checks
    .createSession({
      key: `identity:${userId}:${count?.count ?? 0}`,
      userId,
      email,
      returnUrl: `${services.siteUrl}/verify-return`,
    })
    .catch((error: unknown) => {
      throw error instanceof ProviderError ? unreachable() : error;
    });
  if (!url) throw unreachable();
  await db.query(
    `insert into private.identity_session (id, user_id, created_at) values ($1, $2::uuid, $3::timestamptz) on conflict (id) do nothing`,
    [id, userId, clock()],
  );
  return { id, url };
}

/**
 * Reads the state of a customer's hosted check and stores its decision once available. Throws `Refusal`: `not_found`, `not_configured`,
 * `invalid_request`; and `ProviderError`.
 */
export async function readHostedCheck(services: Services, userId: string, sessionId: string): Promise<HostedStatus> {
  const row = await services.db.queryRow<{ decision: string | null; reasons: string[] | null; born: string | null }>(
    `select v.verification_status as decision, v.failure_reasons as reasons, v.extracted_dob as born from private.identity_session s
     left join public.id_verifications v on v.id = s.verification_id where s.id = $1 and s.user_id = $2::uuid`,
    [sessionId, userId],
  );
  if (!row) throw new Refusal('not_found', 'Verification session not found');
  if (row.decision)
    return toHostedStatus(row.decision, await explainDecision(services.db, row.reasons ?? [], row.born));
  const session = await requireHostedChecks(services).getSession(sessionId);
  if (session.status !== 'verified') {
    const error = session.status === 'requires_input' ? describeLastError(session.lastError) : null;
    return { verified: false, status: session.status, error };
  }
  const reading = toReading(session);
  const { judgement, reasons } = await decide(services, userId, { source: 'hosted', reading, sessionId, photo: null });
  return toHostedStatus(judgement.decision, reasons);
}

function requireHostedChecks({ hostedChecks }: Services): IdentityChecks {
  if (hostedChecks !== null) return hostedChecks;
  throw new Refusal('not_configured', 'The online identity check isn’t available. Please use a photo of your licence.');
}

function unreachable(): Refusal {
  return new Refusal(
    'provider_unavailable',
    'We can’t reach the identity check right now. Please try again in a moment.',
  );
}

/** Converts the provider's result to a licence reading; the provider has checked the document itself. */
function toReading(session: IdentitySession): LicenceReading {
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

/** Stripe Identity's last_error codes → advice for the customer. */
const LAST_ERRORS: ReadonlyMap<string, string> = new Map([
  ['abandoned', 'The check wasn’t finished.'],
  ['consent_declined', 'We can’t check your ID without your consent.'],
  ['country_not_supported', 'We can’t check documents from this country.'],
  ['device_not_supported', 'The check doesn’t work on this device. Please try another one.'],
  ['document_expired', 'Your document has expired.'],
  ['document_type_not_supported', 'We can’t check this type of document. Please use a driver licence.'],
  ['under_supported_age', 'You must be 18 years or older.'],
]);

function describeLastError(code: string | null): string | null {
  if (code === null) return null;
  return LAST_ERRORS.get(code) ?? 'We couldn’t verify your document. Please try again.';
}
