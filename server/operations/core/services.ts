import type { BusinessSettings } from '#rules/business/business.ts';
import type { Encryption } from '#server/crypto/encryption.ts';
import type { Fingerprint } from '#server/crypto/fingerprint.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { ProviderError } from '#server/providers/call.ts';
import type * as ports from '#server/providers/ports.ts';
import type { PaymentOutcome, Settlement } from './settlement.ts';
import type { SingleFlight } from './single-flight.ts';

/**
 * Everything that operations work with; it is their first argument. The program composes several values that differ in `db` only, because
 * statements wait for their turn by the class of their work.
 */
export type Services = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The public address of the site, without a slash at the end. */
  readonly siteUrl: string;
  readonly config: OperatorConfig;
  /** Returns the current settings of the business. */
  readonly business: () => BusinessSettings;
  readonly links: LinkSigner;

  readonly mail: ports.Mail;
  /** Null if no text messages are sent. */
  readonly texts: ports.TextMessages | null;
  /** Where photos are stored. */
  readonly store: ports.ObjectStore;
  readonly wallets: ports.Wallets;
  readonly plugs: Plugs;

  readonly payments: ports.Payments;
  /** Lets concurrent calls for one payment share the request that opens its session. */
  readonly openings: SingleFlight<string | null>;
  /** Lets concurrent callers share one settlement of a session. */
  readonly settlements: SingleFlight<Settlement | ProviderError>;
  /** Counts what became of a payment, once it is committed. */
  readonly countOutcome: (outcome: PaymentOutcome) => void;

  readonly locks: ports.Locks;
  /** Studio id → lock id. */
  readonly lockOf: ReadonlyMap<string, string>;
  /** Encrypts access codes. */
  readonly encryption: Encryption;
  /** Fingerprints of access codes, to find one again. */
  readonly fingerprint: Fingerprint;

  readonly idReader: ports.IdReader;
  readonly pictures: ports.PictureDecoder;
  /** Where photos wait for the reader. */
  readonly checkQueue: CheckQueue;
  /** Identity checks on the provider's page; null if only photos are checked. */
  readonly hostedChecks: ports.IdentityChecks | null;

  /** Requires a young session, the password or a mailed code, and the second factor where there is one. Throws `Refusal`. */
  readonly proveOwner: (userId: string, sessionId: string, proof: OwnerProof) => Promise<void>;
  /** Ends sessions in this process at once. */
  readonly forgetSessions: (sessionIds: readonly string[]) => void;
};

/** The services of calls and of the events of the payment provider. */
export type CallServices = Services & {
  /** The same services for ID checks and accounts: their statements go after those of holds, payments and access codes. */
  readonly customerClass: Services;
};

/** What the operator sets, as opposed to the business. */
type OperatorConfig = {
  /** Replaces the setting of the business, unless it is null. */
  readonly holdMinutes: number | null;
  readonly sessionMinutes: number;
  /** How long a caller waits for the payment provider, in milliseconds. */
  readonly answerWithinMs: number;
  /** Multiplies each limit; 1 outside tests. */
  readonly limitFactor: number;
  /** Who gets mail about failing jobs; may be empty. */
  readonly alertAddresses: readonly string[];
  /** Whether the developer pages are on. */
  readonly developerPages: boolean;
};

/** The plugs by the names that rooms use. The name '' is the plug for rooms that name none. */
export type Plugs = ReadonlyMap<string, ports.Power>;

/** Queues photos for the licence reader, which uses a core for seconds and reads few at once. */
export type CheckQueue = {
  /** Runs `work` at the account's turn. Throws `Refusal` at once when it cannot wait: `too_many_requests`, `provider_unavailable`. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>;
};

/** What somebody gives to show that the account is theirs. A field is null if it was not given. `nonce` is a code that was mailed for this. */
export type OwnerProof = { readonly currentPassword: string | null; readonly nonce: string | null };
