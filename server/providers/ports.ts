/**
 * What the studio needs of the outside world, on one screen. An adapter per system lives beside this file;
 * `compose` picks one by configuration. Every adapter throws `ProviderError` (call.ts) and nothing else.
 * Keys are stable per effect: repeating a call with its key never does the effect twice.
 */

export type PaymentSession = {
  readonly id: string;
  readonly url: string | null;
  readonly status: 'open' | 'complete' | 'expired';
  readonly paymentStatus: 'unpaid' | 'paid' | 'no_payment_required';
  /** The payment behind the session; null before the customer tried to pay. */
  readonly intentStatus: PaymentIntentStatus | null;
  readonly amountCents: number;
  /** Lower case, as the provider spells it: 'aud'. */
  readonly currency: string;
  readonly bookingId: string | null;
  readonly paymentIntentId: string | null;
  /** Given back or on its way back, whoever did it. */
  readonly refundedCents: number;
  /** The customer's bank has ever asked for the money back. */
  readonly disputed: boolean;
  readonly livemode: boolean;
  readonly metadata: Readonly<Record<string, string>>;
};
export type PaymentIntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'canceled'
  | 'succeeded';
export type NewPaymentSession = {
  readonly key: string;
  readonly bookingId: string;
  readonly amountCents: number;
  readonly description: string;
  readonly customerEmail: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly expiresAt: Date;
  /** Whether methods whose money takes days may be offered, where they are configured. */
  readonly allowDelayed: boolean;
  readonly metadata: Readonly<Record<string, string>>;
};
export type Refund = {
  readonly id: string;
  readonly status: 'pending' | 'requires_action' | 'succeeded' | 'canceled' | 'failed';
  readonly amountCents: number;
  /** False: made at the provider by a person. */
  readonly ours: boolean;
};
/** `open`: the bank has asked and nothing is decided. `won`: the money stays here. `lost`: it went back. */
export type Dispute = { readonly id: string; readonly status: 'open' | 'won' | 'lost'; readonly createdAt: Date };
/** A verified webhook: only ids are taken from it; the state is always fetched. */
export type ProviderEvent = {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  /** The payment the event's object belongs to, where it names one. */
  readonly paymentIntentId: string | null;
  readonly livemode: boolean;
};
export type Payments = {
  createSession(input: NewPaymentSession): Promise<PaymentSession>;
  getSession(id: string): Promise<PaymentSession>;
  /** Finds a session by the booking it was made for, newest first: the look-up after an ambiguous answer. */
  findSession(bookingId: string, since: Date): Promise<PaymentSession | null>;
  /** The session that a payment was made in; null when it was made in none. */
  findSessionOfIntent(paymentIntentId: string): Promise<PaymentSession | null>;
  listSessions(since: Date): Promise<readonly PaymentSession[]>;
  /** Asks the provider to close an open session; answers the state after: 'expired', or 'complete' when the customer was faster. */
  expireSession(id: string): Promise<PaymentSession>;
  /** Gives back all that is left of a payment. Throws `ProviderError` 'charge_already_refunded' when nothing is left. */
  refund(input: { key: string; paymentIntentId: string }): Promise<Refund>;
  /** Every refund of a payment, ours or made at the provider, newest first. */
  listRefunds(paymentIntentId: string): Promise<readonly Refund[]>;
  listDisputes(paymentIntentId: string): Promise<readonly Dispute[]>;
  /** Events about payments, refunds and disputes since then, oldest first: what webhooks should have brought. */
  listEvents(since: Date): Promise<readonly ProviderEvent[]>;
  /**
   * Throws `WebhookRefused` for a bad signature, one dated more than 300 s back or ahead, or an event of the other mode (test or live).
   * `rawBody` is the untouched request text.
   */
  readEvent(rawBody: string, signature: string): ProviderEvent;
};

export type IdentitySession = {
  readonly id: string;
  readonly url: string | null;
  readonly status: 'requires_input' | 'processing' | 'verified' | 'canceled';
  readonly lastError: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** 'YYYY-MM-DD' */
  readonly dateOfBirth: string | null;
  readonly documentExpiry: string | null;
};
export type IdentityChecks = {
  createSession(input: { key: string; userId: string; email: string; returnUrl: string }): Promise<IdentitySession>;
  getSession(id: string): Promise<IdentitySession>;
};

export type LockCapabilities = {
  readonly mode: 'bridge' | 'hourly' | 'onetime';
  /** The finest step of a window's start and end. */
  readonly granularityMinutes: number;
  readonly singleUse: boolean;
  readonly endEnforced: boolean;
  readonly revocable: boolean;
  readonly codesPerWindow: number;
};
export type DoorCode = { readonly pin: string; readonly providerCodeId: string | null };
export type Locks = {
  readonly capabilities: LockCapabilities;
  /** `variant` is stored by the caller before the call; the same input gives the same code (F16). `pin` is used by locks that take the caller's choice. */
  issueCode(input: {
    lockId: string;
    startsAt: Date;
    endsAt: Date;
    accessName: string;
    variant: number;
    pin: string;
  }): Promise<DoorCode>;
  /** Asks the lock system whether our credentials are good and which devices it knows. */
  check(): Promise<{ readonly devices: readonly string[] }>;
  /** Resolves once the lock has forgotten the code; throws ProviderError('not_supported') where it cannot. */
  revokeCode(input: { lockId: string; pin: string }): Promise<void>;
};

export type Power = {
  set(on: boolean): Promise<void>;
  /** Switches on; the device itself switches off after `seconds`. */
  pulse(seconds: number): Promise<void>;
  isOn(): Promise<boolean>;
};

export type MailMessage = {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Stable per logical mail; becomes the Message-ID and the idempotency key. */
  readonly key: string;
  readonly calendar?: { readonly method: 'PUBLISH' | 'CANCEL'; readonly content: string };
};
export type Mail = { send(message: MailMessage): Promise<void> };

/** `to`: E.164 with the plus. `key`: stable per logical message. */
export type TextMessages = { send(message: { to: string; text: string; key: string }): Promise<void> };

/** Whether a captcha's answer is good. `token` is what the page was given, good once. */
export type Captcha = { check(token: string, ip: string): Promise<boolean> };

export type PrintedDate = { readonly iso: string | null; readonly printed: string | null };
export type LicenceReading = {
  readonly documentKind: 'driver_licence' | 'other' | 'unclear';
  /** 'NSW', 'VIC', … or null when not read. */
  readonly issuingState: string | null;
  readonly medium: 'physical' | 'screen' | 'screenshot' | 'photocopy' | 'unclear';
  readonly givenNames: string | null;
  readonly familyName: string | null;
  readonly dateOfBirth: PrintedDate;
  readonly expiry: PrintedDate;
  readonly isLegible: boolean;
  readonly issues: readonly string[];
  /** 0–100 */
  readonly confidence: number;
};
/** Reads what is printed; never judges. `image` is a re-encoded JPEG without metadata. */
export type IdReader = { read(image: Uint8Array): Promise<LicenceReading> };

/** Pictures of strangers. They are unpacked away from the server: a hostile one harms its own process and no other. */
export type PictureDecoder = {
  /** Its pixels as a JPEG, upright, no side longer than `edge`, without metadata. `unreadable`: it is no JPEG, PNG or WebP, or too large. */
  repack(bytes: Uint8Array, edge: number): Promise<Uint8Array | 'unreadable' | 'busy'>;
};

/** Bytes `from` to `to`, both counted. */
export type ByteRange = { readonly from: number; readonly to: number };
/** Where object bytes live. Keys are made by the server, never by a client. */
export type ObjectStore = {
  /** Keeps all of the bytes, or none when their source throws; once it resolves they outlast a power cut. */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** The bytes in pieces, read as fast as they are taken; null when there is no such key. `range` lies inside. */
  open(key: string, range: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Answers false when there is nothing to copy. */
  copy(from: string, to: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Everything kept in a folder, and what broken writes left there, with the time it was written. */
  list(folder: string): AsyncIterable<{ readonly key: string; readonly writtenAt: Date }>;
};

/** Somebody as an identity provider knows them. `claims`: what it says of them, for the account's own page; nothing that opens anything. */
export type KnownPerson = {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
};
/** What binds an answer to its question: to be kept by the asker and shown again. */
export type SignInChecks = { readonly state: string; readonly nonce: string; readonly verifier: string };
export type SignInProvider = {
  /** As the wire names it: 'google'. */
  readonly name: string;
  /** Whether it answers with a form that another site's page sends. */
  readonly formPost: boolean;
  /** Where the person is sent. `extra`: wishes of the client, such as prompt; they never replace what is ours. */
  startUrl(of: SignInChecks & { scopes: string | null; extra: Readonly<Record<string, string>> }): Promise<string>;
  /** Trades what came back to our callback, with its query or form as `answer`. Throws `ProviderError`, not retryable where the answer is false. */
  redeem(
    of: SignInChecks & { answer: URLSearchParams },
  ): Promise<{ person: KnownPerson; accessToken: string; refreshToken: string | null }>;
  /** The person of an id token that an app was given; null for one that is not of this provider, not for us, or over. */
  readIdToken: ((idToken: string, accessToken: string | null) => Promise<IdToken | null>) | null;
};
/** `nonce`: as it stands in the token. `expiresAt`: after it the token is good for nothing. */
export type IdToken = { readonly person: KnownPerson; readonly nonce: string | null; readonly expiresAt: Date };

/** An employer's identity provider for single sign-on. */
export type SingleSignOn = {
  /** A uuid, by which clients may name it. */
  readonly id: string;
  /** The domains whose addresses it may vouch for, in lower case. */
  readonly domains: readonly string[];
  /** Where the person is sent. `relayState` comes back with the answer. */
  startUrl(of: { requestId: string; relayState: string }): Promise<string>;
  /** The person of an answer to the request. Throws `ProviderError`, not retryable where the answer does not hold; `id` is the assertion's own. */
  read(answer: string, requestId: string): Promise<{ person: KnownPerson; id: string; expiresAt: Date }>;
};
