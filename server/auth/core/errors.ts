import { BUSY_MESSAGE } from '#server/http/classify-error.ts';

/** A refusal as the auth API sends it: a status and `{code, message, …}`. */
export class AuthRefusal extends Error {
  override readonly name = 'AuthRefusal';
  readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 422 | 429 | 503;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds until the client may retry, for 429 and 503; otherwise null. */
  readonly retryAfter: number | null;
  constructor(
    status: AuthRefusal['status'],
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    retryAfter: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** The refusals that several calls share. Texts and codes match Supabase Auth where it has the same error. */
export const refuse = {
  validation: (message: string) => new AuthRefusal(400, 'validation_failed', message),
  notJson: () => new AuthRefusal(415, 'unsupported_media_type', 'Send JSON, with content-type: application/json'),
  email: () => new AuthRefusal(400, 'email_address_invalid', 'Unable to validate email address: invalid format'),
  phone: () => new AuthRefusal(400, 'validation_failed', 'Invalid phone number format (E.164 required)'),
  credentials: () => new AuthRefusal(400, 'invalid_credentials', 'Invalid login credentials'),
  emailUnconfirmed: (status: 400 | 403) => new AuthRefusal(status, 'email_not_confirmed', 'Email not confirmed'),
  phoneUnconfirmed: () => new AuthRefusal(400, 'phone_not_confirmed', 'Phone not confirmed'),
  banned: (status: 400 | 403) => new AuthRefusal(status, 'user_banned', 'User is banned'),
  ssoManaged: (message = 'This account is managed by its organisation. Sign in with single sign-on.') =>
    new AuthRefusal(422, 'user_sso_managed', message),
  emailExists: () => new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered'),
  phoneExists: () => new AuthRefusal(422, 'phone_exists', 'A user with this phone number has already been registered'),
  signUpDisabled: () => new AuthRefusal(422, 'signup_disabled', 'Signups not allowed for this instance'),
  phoneDisabled: (message: string) => new AuthRefusal(400, 'phone_provider_disabled', message),
  linkingDisabled: () => new AuthRefusal(404, 'manual_linking_disabled', 'Manual linking is disabled'),
  providerDown: () =>
    new AuthRefusal(503, 'unexpected_failure', 'The identity provider is not responding. Please try again.'),
  wrongCode: () => new AuthRefusal(403, 'otp_expired', 'Token has expired or is invalid'),
  noSession: () => new AuthRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist'),
  noBearer: () => new AuthRefusal(401, 'no_authorization', 'This endpoint requires a valid Bearer token'),
  notAdmin: () => new AuthRefusal(403, 'not_admin', 'User not allowed'),
  rate: (seconds: number) => new AuthRefusal(429, 'over_request_rate_limit', 'Request rate limit reached', {}, seconds),
  busy: (seconds: number) => new AuthRefusal(503, 'unexpected_failure', BUSY_MESSAGE, {}, seconds),
  mailRate: (seconds: number) => messageRate('over_email_send_rate_limit', seconds),
  smsRate: (seconds: number) => messageRate('over_sms_send_rate_limit', seconds),
  weak: (message: string, reason: 'length' | 'characters' | 'pwned') =>
    new AuthRefusal(422, 'weak_password', message, { weak_password: { message, reasons: [reason] } }),
} as const;

function messageRate(code: string, seconds: number): AuthRefusal {
  const message = `For security purposes, you can only request this after ${seconds} seconds.`;
  return new AuthRefusal(429, code, message, {}, seconds);
}
