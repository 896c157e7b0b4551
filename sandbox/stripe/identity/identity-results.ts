import type Stripe from 'stripe';
import { type Check, newId, type StripeState } from '../core/ledger.ts';

type Session = Stripe.Identity.VerificationSession;
type Report = Stripe.Identity.VerificationReport;

const URL_FOR_S = 48 * 3600;
const SENSITIVE_FOR_S = 48 * 3600;
export const REDACTED = '[redacted]';

/**
 * Returns the parts of the session that a caller may read. Every key can expand `verified_outputs` for the name; birth date and expiry need
 * a restricted key that expands them by name, within 48 hours (docs.stripe.com/identity/access-verification-results).
 */
export function readCheck(
  state: StripeState,
  check: Check,
  asks: { expand: readonly string[]; restricted: boolean },
): Session {
  refresh(state, check);
  const expandable = new Set(asks.restricted && recent(state, check) ? asks.expand : []);
  const wants = (path: string): boolean =>
    asks.expand.some((expanded) => expanded === path || expanded.startsWith(`${path}.`));
  const session = structuredClone(check.session);
  const id = session.last_verification_report;
  if (wants('last_verification_report') && typeof id === 'string') {
    const report = state.ledger.reports[id];
    if (report) session.last_verification_report = hide(report, 'last_verification_report.document', expandable, check);
  }
  session.verified_outputs = null;
  if (wants('verified_outputs') && session.status === 'verified' && check.shown)
    session.verified_outputs = {
      address: null,
      email: null,
      first_name: check.shown.first,
      id_number_type: null,
      last_name: check.shown.last,
      phone: null,
      ...(expandable.has('verified_outputs.dob') ? { dob: parseDate(check.shown.dob) } : {}),
    };
  return session;
}

export function readReport(
  state: StripeState,
  report: Report,
  asks: { expand: readonly string[]; restricted: boolean },
): Report {
  const check = state.ledger.checks[report.verification_session ?? ''];
  const expandable = new Set(asks.restricted && check && recent(state, check) ? asks.expand : []);
  return check ? hide(report, 'document', expandable, check) : report;
}

function hide(report: Report, path: string, expandable: ReadonlySet<string>, check: Check): Report {
  const document = report.document;
  if (!document) return report;
  const gone = check.session.redaction !== null;
  return {
    ...report,
    document: {
      ...document,
      first_name: gone ? REDACTED : document.first_name,
      last_name: gone ? REDACTED : document.last_name,
      ...(expandable.has(`${path}.dob`) ? { dob: parseDate(check.shown?.dob ?? '') } : {}),
      ...(expandable.has(`${path}.expiration_date`) ? { expiration_date: parseDate(check.shown?.expiry ?? '') } : {}),
      ...(expandable.has(`${path}.number`) ? { number: gone ? REDACTED : 'SPECIMEN' } : {}),
    },
  };
}

const recent = (state: StripeState, check: Check): boolean =>
  check.verifiedAt !== null && state.seconds() - check.verifiedAt < SENSITIVE_FOR_S;

/** Gives a check that waits for input a valid address, which changes after each try and after 48 hours. */
export function refresh(state: StripeState, check: Check): void {
  const { session } = check;
  const old = state.seconds() - check.urlMadeAt >= URL_FOR_S;
  if (session.status !== 'requires_input' || (session.url !== null && !old)) return;
  const secret = newId('test');
  check.urlMadeAt = state.seconds();
  session.url = `${state.baseUrl}/verify/${session.id}/${secret}`;
  session.client_secret = `${session.id}_secret_${secret}`;
  state.changed();
}

/** Builds the report of a check. Dates and numbers are added only for callers who may read them. */
export function makeReport(state: StripeState, check: Check, id: string): Report {
  const { session, shown } = check;
  const verified = session.status === 'verified';
  const error = session.last_error;
  const aboutSelfie = error?.code?.startsWith('selfie') ?? false;
  return {
    id,
    object: 'identity.verification_report',
    client_reference_id: session.client_reference_id,
    created: state.stamp(),
    document: {
      address: null,
      error:
        verified || aboutSelfie
          ? null
          : {
              code: error?.code === 'document_expired' ? 'document_expired' : 'document_unverified_other',
              reason: error?.reason ?? null,
            },
      files: null,
      first_name: verified ? (shown?.first ?? null) : null,
      issued_date: null,
      issuing_country: 'AU',
      last_name: verified ? (shown?.last ?? null) : null,
      status: verified || aboutSelfie ? 'verified' : 'unverified',
      type: 'driving_license',
    },
    livemode: false,
    options: { document: session.options?.document ?? {} },
    type: 'document',
    verification_session: session.id,
  };
}

function parseDate(iso: string): { year: number; month: number; day: number } | null {
  const [year, month, day] = iso.split('-').map(Number);
  return year && month && day ? { year, month, day } : null;
}
