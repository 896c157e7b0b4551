import type { AuthSettings } from '../auth.ts';
import type { DatabaseSettings } from '../database.ts';
import type { VisionSettings } from '../id-reader.ts';
import type { SecretSettings } from './keys.ts';
import type { LockSettings } from '../locks.ts';
import type { HstsSettings } from './hsts.ts';
import type { ObserveSettings } from './observe.ts';
import type { PaymentSettings } from '../payments.ts';
import type { PlugSettings } from '../plugs.ts';
import type { RealtimeConfig } from '../realtime.ts';
import type { RestSettings } from '../rest.ts';
import type { SignInSettings } from '../sign-in.ts';
import type { StorageSettings } from '../storage.ts';
import type { WalletSettings } from '../wallet.ts';
import type { BackupSettings } from './backup.ts';

/** The server's configuration, read once from the environment. `.env.example` describes each variable. */
export type Config = DatabaseSettings & {
  /** Lines for the operator about unusual settings that do not stop the start. */
  readonly warnings: readonly string[];
  readonly production: boolean;
  readonly port: number;
  readonly host: string | null;
  readonly siteUrl: string;
  readonly dataDir: string;
  readonly keys: SecretSettings;
  readonly backup: BackupSettings;
  readonly observe: ObserveSettings;
  /** The variables that were given, for a backup. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether a request without a key is refused. Otherwise it is a guest's. */
  readonly apiKeyRequired: boolean;
  /** Time limit for reading one licence photo on this machine. */
  readonly idReadSeconds: number;
  /** How long a customer's request waits for the payment provider. After that the answer says that the payment is still being checked. */
  readonly paymentAnswerSeconds: number;
  readonly adminEmails: readonly string[];
  /** Who gets mails about jobs that keep failing. */
  readonly ownerEmails: readonly string[];
  readonly developerPages: boolean;
  /** Replaces the hold time that staff set; null: theirs counts. */
  readonly holdMinutes: number | null;
  readonly limitFactor: number;
  readonly trustedProxies: number;
  /** Bearer that opens /metrics to other machines. */
  readonly metricsToken: string | null;
  readonly logLevel: string;
  /** Whether each request gets a line in the log. */
  readonly accessLog: boolean;
  readonly failpoints: string | null;
  readonly auth: AuthSettings;
  readonly signIn: SignInSettings;
  /** Staff rights need a session with a second factor. */
  readonly adminRequiresMfa: boolean;
  readonly sandboxUrl: string | null;
  readonly stripe: PaymentSettings;
  readonly igloohome: LockSettings;
  readonly vision: VisionSettings;
  /** Settings of `/rest/v1`, with PostgREST's names. */
  readonly rest: RestSettings;
  readonly realtime: RealtimeConfig;
  readonly hsts: HstsSettings;
  readonly plugs: PlugSettings;
  /** Whether the lights go on and off with the sessions. */
  readonly lightsFollow: boolean;
  /** How often each lock is asked whether it answers. 0 turns this off. */
  readonly lockCheckMinutes: number;
  /** How often the months are compared with the payment provider's ledger; 0: only when staff ask. */
  readonly ledgerCheckHours: number;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly storage: StorageSettings;
  /** What passes for wallets are signed with. */
  readonly wallet: WalletSettings;
};
