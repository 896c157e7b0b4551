/** A refusal as the auth API sends it: a status and `{code, message, …}`. */
export class AuthRefusal extends Error {
  override readonly name = 'AuthRefusal';
  readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 422 | 429 | 503;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds, for 429. */
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

export const refuse = {
  validation: (message: string) => new AuthRefusal(400, 'validation_failed', message),
  notJson: () => new AuthRefusal(415, 'unsupported_media_type', 'Send JSON, with content-type: application/json'),
  email: () => new AuthRefusal(400, 'email_address_invalid', 'Unable to validate email address: invalid format'),
  phone: () => new AuthRefusal(400, 'validation_failed', 'Invalid phone number format (E.164 required)'),
  credentials: () => new AuthRefusal(400, 'invalid_credentials', 'Invalid login credentials'),
  unconfirmed: () => new AuthRefusal(400, 'email_not_confirmed', 'Email not confirmed'),
  phoneUnconfirmed: () => new AuthRefusal(400, 'phone_not_confirmed', 'Phone not confirmed'),
  banned: () => new AuthRefusal(400, 'user_banned', 'User is banned'),
  phoneDisabled: (message: string) => new AuthRefusal(400, 'phone_provider_disabled', message),
  otp: () => new AuthRefusal(403, 'otp_expired', 'Token has expired or is invalid'),
  jwt: (message: string) => new AuthRefusal(403, 'bad_jwt', message),
  noSession: () => new AuthRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist'),
  noBearer: () => new AuthRefusal(401, 'no_authorization', 'This endpoint requires a valid Bearer token'),
  rate: (seconds: number) => new AuthRefusal(429, 'over_request_rate_limit', 'Request rate limit reached', {}, seconds),
  mailRate: (seconds: number) =>
    new AuthRefusal(
      429,
      'over_email_send_rate_limit',
      `For security purposes, you can only request this after ${seconds} seconds.`,
      {},
      seconds,
    ),
  smsRate: (seconds: number) =>
    new AuthRefusal(
      429,
      'over_sms_send_rate_limit',
      `For security purposes, you can only request this after ${seconds} seconds.`,
      {},
      seconds,
    ),
  weak: (message: string, reason: 'length' | 'characters' | 'pwned') =>
    new AuthRefusal(422, 'weak_password', message, { weak_password: { message, reasons: [reason] } }),
  disabled: (status: 400 | 404 | 422, code: string, message: string) => new AuthRefusal(status, code, message),
} as const;
