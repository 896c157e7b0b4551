import type { BackupSettings } from '#server/settings/operating/backup.ts';
import type { VisionSettings } from '#server/settings/id-reader.ts';
import type { LockSettings } from '#server/settings/locks.ts';
import type { PaymentSettings } from '#server/settings/payments.ts';
import type { PlugSettings } from '#server/settings/plugs.ts';
import type { StorageSettings } from '#server/settings/storage.ts';
import type { WalletSettings } from '#server/settings/wallet.ts';

/** The parts of the configuration (server/config.ts) that are examined. */
export type CheckedConfig = {
  readonly warnings: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly production: boolean;
  readonly sandboxUrl: string | null;
  readonly siteUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly poolSize: number;
  readonly adminEmails: readonly string[];
  readonly ownerEmails: readonly string[];
  readonly trustedProxies: number;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly backup: BackupSettings;
  readonly storage: StorageSettings;
  readonly stripe: PaymentSettings;
  readonly igloohome: LockSettings;
  readonly vision: VisionSettings;
  readonly plugs: PlugSettings;
  readonly wallet: WalletSettings;
};
