import type { BackupConfig } from '#server/config/operating/backup.ts';
import type { VisionConfig } from '#server/config/id-reader.ts';
import type { LockConfig } from '#server/config/locks.ts';
import type { PaymentConfig } from '#server/config/payments.ts';
import type { PlugConfig } from '#server/config/plugs.ts';
import type { StorageConfig } from '#server/config/storage.ts';
import type { WalletConfig } from '#server/config/wallet.ts';

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
  readonly backup: BackupConfig;
  readonly storage: StorageConfig;
  readonly stripe: PaymentConfig;
  readonly igloohome: LockConfig;
  readonly vision: VisionConfig;
  readonly plugs: PlugConfig;
  readonly wallet: WalletConfig;
};
