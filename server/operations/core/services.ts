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
 * The dependencies of all operations, passed as their first argument. The program creates several instances that differ only in `db`,
 * because statements are queued by the class of their work.
 */
export type Services = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The public URL of the site, without a trailing slash. */
  readonly siteUrl: string;
  readonly config: OperatorConfig;
  /** Returns the current settings of the business. */
  readonly business: () => BusinessSettings;
  readonly links: LinkSigner;

  readonly mail: ports.Mail;
  /** Null if text messages are disabled. */
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
  /** Counts the outcome of a payment, once it is committed. */
  readonly countOutcome: (outcome: PaymentOutcome) => void;

  readonly locks: ports.Locks;
  /** Studio id → lock id. */
  readonly studioLocks: ReadonlyMap<string, string>;
  /** Encrypts access codes. */
  readonly encryption: Encryption;
  /** Fingerprints access codes, so that a code can be found by its digits. */
  readonly fingerprint: Fingerprint;

  readonly idReader: ports.IdReader;
  readonly pictures: ports.PictureDecoder;
  /** The queue of photos that wait for the reader. */
  readonly checkQueue: CheckQueue;
  /** Identity checks on the provider's page; null if only photos are checked. */
  readonly hostedChecks: ports.IdentityChecks | null;

  /** Requires a recent session, the password or a mailed code, and in addition the second factor if the account has one. Throws `Refusal`. */
  readonly proveOwner: (userId: string, sessionId: string, proof: OwnerProof) => Promise<void>;
  /** Ends sessions in this process immediately. */
  readonly forgetSessions: (sessionIds: readonly string[]) => void;
};

/** The services of function calls and of events from the payment provider. */
export type CallServices = Services & {
  /** The same services for ID checks and accounts. Their statements wait behind those of holds, payments and access codes. */
  readonly customerClass: Services;
};

/** The configuration of the operator, as opposed to the settings of the business. */
type OperatorConfig = {
  /** Overrides the setting of the business unless null. */
  readonly holdMinutes: number | null;
  readonly sessionMinutes: number;
  /** How long a caller waits for the payment provider, in milliseconds. */
  readonly answerWithinMs: number;
  /** Multiplies each limit; 1 outside tests. */
  readonly limitFactor: number;
  /** Recipients of mail about failing jobs; may be empty. */
  readonly alertAddresses: readonly string[];
  readonly developerPages: boolean;
};

/** The plugs, by the names that rooms use. The empty name is the plug for rooms without one. */
export type Plugs = ReadonlyMap<string, ports.Power>;

/** Queues photos for the licence reader, which occupies a core for seconds and reads only a few at once. */
export type CheckQueue = {
  /** Runs `work` when it is the account's turn. Throws `Refusal` immediately if it cannot wait: `too_many_requests`, `provider_unavailable`. */
  run<T>(account: string, work: () => Promise<T>): Promise<T>;
};

/** Proof that the caller owns the account. Each field is null if it was not given. `nonce` is a code that was mailed for this purpose. */
export type OwnerProof = { readonly currentPassword: string | null; readonly nonce: string | null };
