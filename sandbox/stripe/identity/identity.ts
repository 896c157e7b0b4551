import type Stripe from 'stripe';
import {
  parseBoolean,
  parseEmail,
  type FormMap,
  listAt,
  mapAt,
  parseMetadata,
  onlyKnown,
  parseText,
  parseUrl,
  parseWord,
} from '../core/form.ts';
import { type Check, newId, type LicenceFields, type StripeState } from '../core/ledger.ts';
import { makeReport, REDACTED, refresh } from './identity-results.ts';
import { requiredParameter, wrongState } from '../core/refusal.ts';

type Session = Stripe.Identity.VerificationSession;

const DOCUMENT = ['allowed_types.*', 'require_live_capture', 'require_matching_selfie', 'require_id_number'];
const CHANGEABLE = [
  'metadata.*',
  'provided_details.email',
  'provided_details.phone',
  ...DOCUMENT.map((name) => `options.document.${name}`),
  'expand.*',
];
const FIELDS = ['type', 'client_reference_id', 'return_url', ...CHANGEABLE];

/** Error codes of a failed check, with Stripe's messages. */
export const identityErrors = {
  abandoned: 'The verification was abandoned.',
  consent_declined: 'Consent to the verification was declined.',
  country_not_supported: 'The country of the document is not supported.',
  device_not_supported: 'The device has no camera.',
  document_expired: 'The document is expired.',
  document_type_not_supported: 'The document type is not supported.',
  document_unverified_other: 'The document could not be verified.',
  email_unverified_other: 'The email address could not be verified.',
  email_verification_declined: 'Verifying the email address was declined.',
  id_number_insufficient_document_data: 'The document has too little data to check the ID number.',
  id_number_mismatch: 'The ID number does not match.',
  id_number_unverified_other: 'The ID number could not be verified.',
  phone_unverified_other: 'The phone number could not be verified.',
  phone_verification_declined: 'Verifying the phone number was declined.',
  selfie_document_missing_photo: 'The document has no photo of a face.',
  selfie_face_mismatch: 'The selfie does not match the photo on the document.',
  selfie_manipulated: 'The selfie was manipulated.',
  selfie_unverified_other: 'The selfie could not be verified.',
  under_supported_age: 'The person is under the supported age.',
} as const;
type IdentityError = keyof typeof identityErrors;
export type IdentityOutcome = 'verified' | 'processing' | 'canceled' | IdentityError;

/** Maps a word from a test or form to an outcome. `requires_input` means that the document could not be verified. */
export function identityOutcome(word: string): IdentityOutcome | null {
  if (word === 'requires_input') return 'document_unverified_other';
  if (word === 'verified' || word === 'processing' || word === 'canceled') return word;
  return isError(word) ? word : null;
}
const isError = (word: string): word is IdentityError => Object.hasOwn(identityErrors, word);

/** `POST /v1/identity/verification_sessions` */
export function createCheck(state: StripeState, form: FormMap): Check {
  onlyKnown(form, FIELDS);
  if (parseWord(form['type'], 'type', ['document']) === null) throw requiredParameter('type');
  const id = newId('vs');
  const check: Check = {
    session: {
      id,
      object: 'identity.verification_session',
      client_reference_id: parseText(form['client_reference_id']),
      client_secret: null,
      created: state.stamp(),
      last_error: null,
      last_verification_report: null,
      livemode: false,
      metadata: parseMetadata(form['metadata']),
      options: { document: readDocument(form, {}) },
      provided_details: readDetails(form),
      redaction: null,
      related_customer: null,
      related_customer_account: null,
      status: 'requires_input',
      type: 'document',
      url: null,
    },
    returnUrl: parseUrl(form['return_url'], 'return_url'),
    shown: null,
    verifiedAt: null,
    urlMadeAt: 0,
  };
  state.ledger.checks[id] = check;
  refresh(state, check);
  state.emit('identity.verification_session.created', publicSession(check));
  return check;
}

/** `POST /v1/identity/verification_sessions/{id}`: updates a check. Throws unless the check waits for input. */
export function updateCheck(state: StripeState, check: Check, form: FormMap): void {
  onlyKnown(form, ['type', ...CHANGEABLE]);
  const { session } = check;
  if (session.status !== 'requires_input')
    throw wrongState(`A VerificationSession with status ${session.status} cannot be updated.`);
  session.metadata = { ...session.metadata, ...parseMetadata(form['metadata']) };
  session.options = { document: readDocument(form, session.options?.document ?? {}) };
  session.provided_details = { ...session.provided_details, ...readDetails(form) };
  state.changed();
}

export function cancelCheck(state: StripeState, check: Check): void {
  const { session } = check;
  if (session.status !== 'requires_input')
    throw wrongState(`A VerificationSession with status ${session.status} cannot be canceled.`);
  session.status = 'canceled';
  close(session);
  state.emit('identity.verification_session.canceled', publicSession(check));
}

/** Redacts a check. Stripe takes up to four days. The sandbox redacts immediately, but still emits `processing` first. */
export function redactCheck(state: StripeState, check: Check): void {
  const { session } = check;
  if (session.status === 'processing')
    throw wrongState('A VerificationSession cannot be redacted while it is processing.');
  if (session.status === 'requires_input') session.status = 'canceled';
  close(session);
  session.redaction = { status: 'redacted' };
  session.metadata = {};
  session.provided_details = null;
  if (check.shown) check.shown = { first: REDACTED, last: REDACTED, dob: '', expiry: '' };
  state.emit('identity.verification_session.redacted', publicSession(check));
}

/** Ends a customer's attempt. Does nothing if the check does not wait for input. */
export function finishCheck(state: StripeState, check: Check, outcome: IdentityOutcome, shown: LicenceFields): void {
  const { session } = check;
  const waits = session.status === 'requires_input' || (session.status === 'processing' && outcome !== 'processing');
  if (!waits || session.redaction !== null) return;
  if (outcome === 'canceled') {
    if (session.status === 'requires_input') cancelCheck(state, check);
    return;
  }
  // Each address is valid for one attempt.
  close(session);
  if (outcome === 'processing') {
    session.status = 'processing';
    check.shown = shown;
    state.emit('identity.verification_session.processing', publicSession(check));
    return;
  }
  const report = newId('vr');
  session.last_verification_report = report;
  check.shown = shown;
  if (outcome === 'verified') {
    session.status = 'verified';
    session.last_error = null;
    check.verifiedAt = state.seconds();
  } else {
    session.status = 'requires_input';
    session.last_error = { code: outcome, reason: identityErrors[outcome] };
  }
  state.ledger.reports[report] = makeReport(state, check, report);
  state.emit(`identity.verification_session.${session.status}`, publicSession(check));
}

/** Returns the session as events contain it, without the fields that must be expanded. */
function publicSession({ session }: Check): Session {
  return { ...session, client_secret: null, url: null };
}

function close(session: Session): void {
  session.url = null;
  session.client_secret = null;
}

type DocumentOptions = NonNullable<NonNullable<Session['options']>['document']>;
function readDocument(form: FormMap, before: DocumentOptions): DocumentOptions {
  const given = mapAt(mapAt(form['options'])['document']);
  const param = (name: string): string => `options[document][${name}]`;
  const switches = ['require_live_capture', 'require_matching_selfie', 'require_id_number'] as const;
  const read: DocumentOptions = { ...before };
  const types = listAt(given['allowed_types']).map((type) =>
    parseWord(type, param('allowed_types'), ['driving_license', 'id_card', 'passport']),
  );
  if (types.length > 0) read.allowed_types = types.filter((type) => type !== null);
  for (const name of switches) if (given[name] !== undefined) read[name] = parseBoolean(given[name], param(name));
  return read;
}

function readDetails(form: FormMap): NonNullable<Session['provided_details']> {
  const given = mapAt(form['provided_details']);
  const email = parseEmail(given['email'], 'provided_details[email]');
  const phone = parseText(given['phone']);
  return { ...(email === null ? {} : { email }), ...(phone === null ? {} : { phone }) };
}
