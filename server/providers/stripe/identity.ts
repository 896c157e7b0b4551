import type Stripe from 'stripe';
import type { IdentityChecks, IdentitySession } from '../ports.ts';
import { createStripeClient, parseChoice, withProviderErrors } from './client.ts';
import { checkReply, type DateParts, read } from './replies.ts';

/** Adapter for Stripe's hosted identity checks. Stripe sends birth dates only to a restricted key, and only if they are expanded. */
export function createStripeIdentity(
  config: { restrictedKey: string; apiUrl: string | null },
  viaFetch?: typeof fetch,
): IdentityChecks {
  const stripe = createStripeClient(config.restrictedKey, config.apiUrl, viaFetch);
  return {
    createSession: (input) => withProviderErrors(() => createSession(stripe, input)),
    getSession: (id) => withProviderErrors(() => getSession(stripe, id)),
  };
}

async function createSession(
  stripe: Stripe,
  input: Parameters<IdentityChecks['createSession']>[0],
): Promise<IdentitySession> {
  const session = await stripe.identity.verificationSessions.create(
    {
      type: 'document',
      options: {
        document: {
          allowed_types: ['driving_license'],
          require_live_capture: true,
          require_matching_selfie: true,
        },
      },
      provided_details: { email: input.email },
      client_reference_id: input.userId,
      return_url: input.returnUrl,
    },
    { idempotencyKey: input.key },
  );
  return toSession(session);
}

async function getSession(stripe: Stripe, id: string): Promise<IdentitySession> {
  const session = await stripe.identity.verificationSessions.retrieve(id, {
    expand: [
      'verified_outputs',
      'verified_outputs.dob',
      'last_verification_report',
      'last_verification_report.document.expiration_date',
    ],
  });
  return toSession(session);
}

function formatDate(date: DateParts): string | null {
  if (!date?.year || !date.month || !date.day) return null;
  return `${String(date.year).padStart(4, '0')}-${String(date.month).padStart(2, '0')}-${String(date.day).padStart(2, '0')}`;
}

function toSession(reply: unknown): IdentitySession {
  const session = read(checkReply, reply);
  const outputs = session.verified_outputs;
  const report = session.last_verification_report;
  const document = typeof report === 'object' ? report?.document : null;
  return {
    id: session.id,
    url: session.url ?? null,
    status: parseChoice(['requires_input', 'processing', 'verified', 'canceled'], session.status),
    lastError: session.last_error?.code ?? null,
    firstName: outputs?.first_name ?? null,
    lastName: outputs?.last_name ?? null,
    dateOfBirth: formatDate(outputs?.dob),
    documentExpiry: formatDate(document?.expiration_date),
  };
}
