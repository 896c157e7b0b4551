/**
 * The ports describe what the program needs from outside systems. The adapter of each port is in this folder, and `server/compose` chooses
 * it by the configuration. An adapter throws only `ProviderError` (call.ts). `provider` is the name that appears in its errors and stored
 * events. Keys are idempotency keys: a call that is repeated with its key never takes effect twice.
 */
import type { AccessMode } from '#rules/access.ts';

export type PaymentSession = {
  readonly id: string;
  readonly url: string | null;
  readonly status: 'open' | 'complete' | 'expired';
  readonly paymentStatus: 'unpaid' | 'paid' | 'no_payment_required';
  /** The payment behind the session; null before the customer has tried to pay. */
  readonly intentStatus: PaymentIntentStatus | null;
  readonly amountCents: number;
  /** Lower case, as the provider spells it: 'aud'. */
  readonly currency: string;
  readonly bookingId: string | null;
  readonly paymentIntentId: string | null;
  /** Why the last attempt to pay failed; null if there was none, or if a later one succeeded. */
  readonly decline: Decline | null;
  /** Money that was refunded or is being refunded, whether the refund was made here or at the provider. */
  readonly refundedCents: number;
  /** Whether the customer's bank has ever opened a dispute. */
  readonly disputed: boolean;
  readonly livemode: boolean;
  readonly metadata: Readonly<Record<string, string>>;
};
/** Why a card or bank refused the payment. `code` is the bank's code if it gave one, otherwise the provider's: 'insufficient_funds'. */
export type Decline = { readonly attempt: string; readonly code: string; readonly message: string };
type PaymentIntentStatus =
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
  /** One line of the pay page for each item. Together they make up the amount. */
  readonly items: readonly { readonly description: string; readonly amountCents: number }[];
  readonly amountCents: number;
  readonly customerEmail: string;
  /** The customer whose saved cards are offered and who may save one; null to offer and save none. */
  readonly customerId: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly expiresAt: Date;
  /** Whether the page may offer configured methods whose money takes days. */
  readonly allowDelayed: boolean;
  readonly metadata: Readonly<Record<string, string>>;
};
/** A card that a customer saved at the provider. */
export type SavedCard = {
  readonly id: string;
  /** As the provider spells it: 'visa'. */
  readonly brand: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
};
export type CardCharge = {
  readonly key: string;
  readonly customerId: string;
  readonly cardId: string;
  readonly bookingId: string;
  readonly amountCents: number;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
};
/**
 * The result of a charge. `session`: the payment, as far as there is one; it can be read, closed and found like a session. `problem`: why
 * nothing was taken: the bank declined, it wants the customer to confirm on a page, or the card is no longer saved.
 */
export type CardAnswer =
  | { readonly session: PaymentSession; readonly problem: null }
  | { readonly session: PaymentSession | null; readonly problem: 'declined' | 'needs_customer' | 'gone' };
export type Refund = {
  readonly id: string;
  readonly status: 'pending' | 'requires_action' | 'succeeded' | 'canceled' | 'failed';
  readonly amountCents: number;
  /** This server's key; null for a refund that a person made at the provider. */
  readonly key: string | null;
};
/** `open`: the bank has not decided. `won`: the studio keeps the money. `lost`: the money went back. */
export type Dispute = {
  readonly id: string;
  readonly status: 'open' | 'won' | 'lost';
  readonly createdAt: Date;
  /** As the provider names it: 'under_review'. */
  readonly providerStatus: string;
  /** Whether the bank is waiting for the studio's evidence. */
  readonly needsResponse: boolean;
  /** The provider's word for the customer's reason: 'fraudulent'. */
  readonly reason: string | null;
  readonly amountCents: number;
  /** The deadline for evidence. */
  readonly dueAt: Date | null;
};
/** One movement of money at the provider. Money that leaves the account is negative. */
export type LedgerEntry = {
  readonly kind: 'payment' | 'refund' | 'dispute';
  /** `false` if the entry reverses an earlier one: a refund that failed, or a dispute that was won. */
  readonly original: boolean;
  /** The payment, refund or dispute to which the entry belongs. */
  readonly id: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly createdAt: Date;
};
/** The provider's charge for its services. Negative if the provider gave money back. */
type LedgerFee = { readonly cents: number; readonly createdAt: Date };
/** Money that went to the bank account. `returned`: the bank sent it back. `arrivesAt` is null if the provider does not state it. */
export type Payout = {
  readonly id: string;
  readonly cents: number;
  readonly createdAt: Date;
  readonly arrivesAt: Date | null;
  readonly returned: boolean;
};
/** All movements of money of the account at the provider. `entries` are those of customers. */
export type ProviderLedger = {
  readonly entries: readonly LedgerEntry[];
  readonly fees: readonly LedgerFee[];
  readonly payouts: readonly Payout[];
};
/** A verified webhook. Only its ids are used; the state is always fetched. */
export type ProviderEvent = {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  /** The payment to which the event's object belongs; null if the object names none. */
  readonly paymentIntentId: string | null;
  readonly livemode: boolean;
};
export type Payments = {
  readonly provider: string;
  createSession(input: NewPaymentSession): Promise<PaymentSession>;
  getSession(id: string): Promise<PaymentSession>;
  /** Finds a session by the booking for which it was made, newest first. Used if the answer to `createSession` was lost. */
  findSession(bookingId: string, since: Date): Promise<PaymentSession | null>;
  /** Finds the session of a payment. Returns null if it has none. */
  findSessionOfIntent(paymentIntentId: string): Promise<PaymentSession | null>;
  /** Creates a customer, identified only by the account number. The same key returns the same customer. */
  createCustomer(input: { key: string; userId: string }): Promise<string>;
  setCustomerEmail(customerId: string, email: string): Promise<void>;
  /** Deletes a customer with the saved cards. Idempotent. */
  deleteCustomer(customerId: string): Promise<void>;
  /** Lists the cards that a customer chose to save, newest first. */
  listCards(customerId: string): Promise<readonly SavedCard[]>;
  /** Removes a card of this customer. Returns false if the customer has no such card. */
  removeCard(customerId: string, cardId: string): Promise<boolean>;
  /** Charges a saved card while its customer is present. Never charges twice with the same key. */
  chargeCard(input: CardCharge): Promise<CardAnswer>;
  /** Finds the payment of `chargeCard` with this key if its answer was lost. Returns null if there is none. */
  findCharge(key: string, since: Date): Promise<PaymentSession | null>;
  listSessions(since: Date): Promise<readonly PaymentSession[]>;
  /** Closes an open session and returns it: 'expired', or 'complete' if the customer paid first. */
  expireSession(id: string): Promise<PaymentSession>;
  /**
   * Refunds a part of a payment, or the whole remainder without `amountCents`. Throws `ProviderError` 'charge_already_refunded' if nothing
   * remains.
   */
  refund(input: { key: string; paymentIntentId: string; amountCents?: number }): Promise<Refund>;
  /** Lists all refunds of a payment, made here or at the provider, newest first. */
  listRefunds(paymentIntentId: string): Promise<readonly Refund[]>;
  listDisputes(paymentIntentId: string): Promise<readonly Dispute[]>;
  /** Lists events about payments, refunds and disputes, oldest first: those that webhooks should have delivered. */
  listEvents(since: Date): Promise<readonly ProviderEvent[]>;
  /** Lists everything that has moved the account's money since then. Throws rather than omit some of it. */
  listLedger(since: Date): Promise<ProviderLedger>;
  /**
   * Verifies a webhook. Throws `WebhookRefused` for a bad signature, one dated more than 300 s off, or an event of the other mode (test or
   * live). `rawBody` is the unmodified text of the request.
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

/** The capabilities of a lock. `mode`: how its codes are made; stored with each. `remoteOpen`: it opens and reports its state remotely. */
export type LockCapabilities = {
  readonly mode: AccessMode;
  /** Whether the lock stores digits that the server chooses, several codes at a time. Otherwise it computes the digits from the hours. */
  readonly choosesDigits: boolean;
  readonly remoteOpen: boolean;
  /** The finest step of a window's start and end. */
  readonly granularityMinutes: number;
  readonly singleUse: boolean;
  readonly endEnforced: boolean;
  readonly revocable: boolean;
  readonly codesPerWindow: number;
  /** The number of codes that one lock stores. */
  readonly storedCodes: number;
};
export type IssuedCode = { readonly pin: string; readonly providerCodeId: string | null };
/** A lock, bridge or keypad of the account. */
export type LockDevice = {
  readonly id: string;
  readonly name: string;
  /** Whether the device is itself a lock, which a room can have. */
  readonly isLock: boolean;
  readonly batteryPercent: number | null;
};
export type Locks = {
  readonly provider: string;
  /** The modes whose codes can be removed, for codes made before the mode was changed. */
  readonly revocableModes: readonly LockCapabilities['mode'][];
  readonly capabilities: LockCapabilities;
  /** Issues a code. Idempotent, so the caller stores `variant` first. `pin` is for locks that accept chosen digits. */
  issueCode(input: {
    lockId: string;
    startsAt: Date;
    endsAt: Date;
    accessName: string;
    variant: number;
    pin: string;
  }): Promise<IssuedCode>;
  /** Checks the credentials and lists all devices. */
  check(): Promise<{ readonly devices: readonly LockDevice[] }>;
  /**
   * Checks whether a lock answers. `online` is null if nothing can reach the lock remotely. A lock or bridge that does not answer is
   * offline, which is not an error. Throws `ProviderError` if the lock system itself does not answer.
   */
  readStatus(input: { lockId: string }): Promise<{ readonly online: boolean | null }>;
  /** Opens the door now. Resolves once the lock has opened. Throws `ProviderError` 'not_supported' if it cannot be reached remotely. */
  open(input: { lockId: string }): Promise<void>;
  /** Resolves once the lock has removed the code. Throws `ProviderError` 'not_supported' if it cannot. */
  revokeCode(input: { lockId: string; pin: string }): Promise<void>;
};

export type Power = {
  set(on: boolean): Promise<void>;
  /** Switches the device on. It switches itself off after `seconds`. */
  pulse(seconds: number): Promise<void>;
  isOn(): Promise<boolean>;
};
export type MailMessage = {
  readonly to: string;
  /** The address for replies; by default the sender. */
  readonly replyTo?: string;
  /** The address that ends a subscription by one POST (RFC 8058). Only news has it. */
  readonly unsubscribeUrl?: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** Equal for each repeat of a mail; becomes its Message-ID. */
  readonly key: string;
  readonly calendar?: { readonly method: 'PUBLISH' | 'CANCEL'; readonly content: string };
  /** A PDF file as attachment. */
  readonly document?: { readonly name: string; readonly content: Uint8Array };
};
/** Throws `ProviderError`; `isAddressRefused` recognises a recipient who cannot receive mail. */
export type Mail = { send(message: MailMessage): Promise<void> };

/** `to`: E.164 with the plus. `key`: equal for each repeat of a message. */
export type TextMessages = { send(message: { to: string; text: string; key: string }): Promise<void> };
/** Checks a captcha's single-use `token` from the page. */
export type Captcha = { check(token: string, ip: string): Promise<boolean> };
export type PrintedDate = { readonly iso: string | null; readonly printed: string | null };
export type LicenceReading = {
  readonly documentKind: 'driver_licence' | 'other' | 'unclear';
  /** 'NSW', 'VIC', … or null if it was not read. */
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
/** Reads the printed text and decides nothing. `image` is a re-encoded JPEG without metadata. */
export type IdReader = { read(image: Uint8Array): Promise<LicenceReading> };

/** Decodes uploaded pictures in a separate process, so that a hostile one cannot harm the server. */
export type PictureDecoder = {
  /** Re-encodes as an upright JPEG without metadata, no side longer than `edge`. `unreadable`: not a JPEG, PNG or WebP, or too large. */
  repack(bytes: Uint8Array, edge: number): Promise<Uint8Array | 'unreadable' | 'busy'>;
  /** Prepares a JPEG for reading its text: a greyscale PNG of full contrast that fills `size`, in pixels. */
  enhanceText(
    bytes: Uint8Array,
    size: { readonly width: number; readonly height: number },
  ): Promise<Uint8Array | 'unreadable' | 'busy'>;
};

/** Bytes `from` to `to`, both inclusive. */
export type ByteRange = { readonly from: number; readonly to: number };
/** Stores the bytes of objects. The server makes the keys, never a client. */
export type ObjectStore = {
  /** Stores all of the bytes, or none if their source throws. Once it resolves they survive a power cut. */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  /** Streams a range inside the object, as fast as it is consumed. Returns null if there is no such key. */
  open(key: string, range: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Returns false if there is nothing to copy. */
  copy(from: string, to: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Lists a folder's objects and the remains of broken writes, with the time of writing. */
  list(folder: string): AsyncIterable<{ readonly key: string; readonly writtenAt: Date }>;
};

/** A user as described by the identity provider. `claims` are shown on the account's own page and grant no rights. */
export type ProviderUser = {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
};
/** Values that bind a response to its request. The caller stores them and passes them to `redeem`. */
type SignInChecks = { readonly state: string; readonly nonce: string; readonly verifier: string };
export type SignInProvider = {
  /** The provider's name in the API: 'google'. */
  readonly name: string;
  /** Whether it responds with a cross-site form post. */
  readonly formPost: boolean;
  /** Builds the URL that redirects the user. `extra`: the client's parameters, such as prompt; they never replace the server's. */
  startUrl(input: SignInChecks & { scopes: string | null; extra: Readonly<Record<string, string>> }): Promise<string>;
  /** Exchanges the callback's query or form (`response`) for the user. Throws `ProviderError`, not retryable if it is invalid. */
  redeem(
    input: SignInChecks & { response: URLSearchParams },
  ): Promise<{ user: ProviderUser; accessToken: string; refreshToken: string | null }>;
  /** Reads an id token that an app received. Returns null if it is from another provider, for another app, or expired. */
  readIdToken: ((idToken: string, accessToken: string | null) => Promise<IdToken | null>) | null;
};
/** `nonce`: as in the token. `expiresAt`: the end of the token's validity. */
export type IdToken = { readonly user: ProviderUser; readonly nonce: string | null; readonly expiresAt: Date };
/** An employer's identity provider for single sign-on. */
export type SingleSignOn = {
  /** A UUID by which clients may choose the provider. */
  readonly id: string;
  /** The email domains that it may sign in, in lower case. */
  readonly domains: readonly string[];
  /** Builds the URL to which the user is redirected. `relayState` comes back with the response. */
  startUrl(input: { requestId: string; relayState: string }): Promise<string>;
  /** Verifies the response to a request. Throws `ProviderError`, not retryable if it is invalid. `id`: that of the assertion. */
  read(response: string, requestId: string): Promise<{ user: ProviderUser; id: string; expiresAt: Date }>;
};
/** A pass in a phone's wallet. It has no access code, because locked screens show passes and phones copy them to other devices. */
export type WalletPass = {
  /** The id of the booking. */
  readonly id: string;
  /** Whether the booking is cancelled. The pass then shows it, and the wallet moves the pass to the old ones. */
  readonly cancelled: boolean;
  readonly business: string;
  readonly room: string;
  readonly reference: string;
  /** In Sydney: "Sat 8 Mar 2031" and "6 pm to 8 pm". */
  readonly day: string;
  readonly hours: string;
  readonly start: Date;
  readonly end: Date;
  readonly address: string;
  /** Information that the pass cannot know. */
  readonly note: string;
  /** The page of the booking. */
  readonly url: string;
};
/** The address at which a phone requests newer versions of its pass, and the token that it presents there. */
export type PassService = { readonly url: string; readonly token: string };
/** The result of pushes. `gone`: phones that no longer have a pass. `failed`: why a push to another phone failed. */
export type PassPushes = { readonly gone: readonly string[]; readonly failed: string | null };
export type ApplePasses = {
  /** The identifier of the pass type. */
  readonly typeId: string;
  /** Whether the phone would accept a pass that is signed now; certificates expire. */
  worksAt(now: Date): boolean;
  /** Makes a .pkpass file. */
  make(pass: WalletPass, service: PassService, now: Date): Promise<Buffer>;
  /** Makes phones, identified by their push tokens, request the newer version. Apple tries until `until`. Throws `ProviderError`. */
  push(tokens: readonly string[], until: Date): Promise<PassPushes>;
};
export type GooglePasses = {
  /** Returns the address at which the customer saves the pass. `origin`: that of the page with the link. */
  saveUrl(pass: WalletPass, origin: string, now: Date): Promise<string>;
  /** Changes the content of the pass at Google, whether it is saved or not. Throws `ProviderError`. */
  update(pass: WalletPass, now: Date): Promise<void>;
  /** Sends Google a request that changes nothing, as a test of the credentials. Throws `ProviderError`. */
  check(now: Date): Promise<void>;
};
/** Null if passes of this kind are not offered. */
export type Wallets = { readonly apple: ApplePasses | null; readonly google: GooglePasses | null };
