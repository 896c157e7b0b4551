import type { AccountConfig } from '../auth.ts';
import type { DatabaseConfig } from '../database.ts';
import type { VisionConfig } from '../id-reader.ts';
import type { SecretConfig } from './keys.ts';
import type { LockConfig } from '../locks.ts';
import type { HstsConfig } from './hsts.ts';
import type { ObserveConfig } from './observe.ts';
import type { PaymentConfig } from '../payments.ts';
import type { PlugConfig } from '../plugs.ts';
import type { RealtimeConfig } from '../realtime.ts';
import type { RestConfig } from '../rest.ts';
import type { SignInConfig } from '../sign-in.ts';
import type { StorageConfig } from '../storage.ts';
import type { WalletConfig } from '../wallet.ts';
import type { BackupConfig } from './backup.ts';

/** The server's configuration, read once from the environment. `.env.example` describes each variable. */
export type Config = DatabaseConfig & {
  /** Lines for the operator about unusual settings that do not stop the start. */
  readonly warnings: readonly string[];
  readonly production: boolean;
  readonly port: number;
  readonly host: string | null;
  readonly siteUrl: string;
  readonly dataDir: string;
  readonly keys: SecretConfig;
  readonly backup: BackupConfig;
  readonly observe: ObserveConfig;
  /** The variables that are set, to be stored in a backup. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether a request without a key is refused. Otherwise it counts as a guest's. */
  readonly apiKeyRequired: boolean;
  /** Time limit for reading one licence photo on this machine. */
  readonly idReadSeconds: number;
  /**
   * How long a customer's request waits for the payment provider. After that, the customer is told that the payment is still being checked.
   */
  readonly paymentAnswerSeconds: number;
  readonly adminEmails: readonly string[];
  /** Recipients of mails about jobs that keep failing. */
  readonly ownerEmails: readonly string[];
  readonly developerPages: boolean;
  /** Hold time in minutes that replaces the one set by staff, or null. */
  readonly holdMinutes: number | null;
  readonly limitFactor: number;
  readonly trustedProxies: number;
  /** Bearer that opens /metrics to other machines. */
  readonly metricsToken: string | null;
  readonly logLevel: string;
  /** Whether each request is logged. */
  readonly accessLog: boolean;
  readonly failpoints: string | null;
  readonly auth: AccountConfig;
  readonly signIn: SignInConfig;
  /** Whether staff rights require a session with a second factor. */
  readonly adminRequiresMfa: boolean;
  readonly sandboxUrl: string | null;
  readonly stripe: PaymentConfig;
  readonly igloohome: LockConfig;
  readonly vision: VisionConfig;
  /** Settings of `/rest/v1`, with PostgREST's names. */
  readonly rest: RestConfig;
  readonly realtime: RealtimeConfig;
  readonly hsts: HstsConfig;
  readonly plugs: PlugConfig;
  /** Whether the lights go on and off with the sessions. */
  readonly lightsFollow: boolean;
  /** Minutes between two checks that each lock answers. With 0 the locks are not checked. */
  readonly lockCheckMinutes: number;
  /** Hours between two comparisons of the months with the payment provider's ledger. With 0 they are compared only on request of staff. */
  readonly ledgerCheckHours: number;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly storage: StorageConfig;
  /** Keys and certificates that sign passes for wallets. */
  readonly wallet: WalletConfig;
};
