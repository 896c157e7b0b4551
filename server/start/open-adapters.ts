import { join } from 'node:path';
import { type BodyBudget, createBodyBudget } from '#server/http/bodies/bodies.ts';
import { createJsonBudget, type JsonBudget } from '#server/http/bodies/json-budget.ts';
import type { ObserveCalls } from '#server/providers/call.ts';
import type { Circuit } from '#server/providers/circuit.ts';
import { createDiskStore } from '#server/providers/disk-store.ts';
import { observeStore } from '#server/providers/guarded.ts';
import { createVisionIdReader } from '#server/providers/vision-id-reader.ts';
import { createOcrIdReader } from '#server/providers/ocr/id-reader.ts';
import { createIgloohomeLocks } from '#server/providers/igloohome/locks.ts';
import type { IdReader, Locks, ObjectStore, PictureDecoder, Wallets } from '#server/providers/ports.ts';
import type { VisionConfig } from '#server/config/id-reader.ts';
import type { LockConfig } from '#server/config/locks.ts';
import type { StorageConfig } from '#server/config/storage.ts';
import type { WalletConfig } from '#server/config/wallet.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Memory budgets of request bodies: small bodies per address, large ones (pictures) per account; and the bytes that each may send per
 * minute, multiplied by `factor`.
 */
export function createBodies(factor: number): { small: BodyBudget; large: BodyBudget; perMinute: JsonBudget } {
  return {
    perMinute: createJsonBudget(factor),
    small: createBodyBudget({ total: 64 * MEGABYTE, perSender: 16 * MEGABYTE }),
    large: createBodyBudget({ total: 160 * MEGABYTE, perSender: 30 * MEGABYTE }),
  };
}

/** Returns the locks of the configured provider. There is only one provider. */
export const createLocks = ({ igloohome }: { readonly igloohome: LockConfig }): Locks =>
  createIgloohomeLocks(igloohome);

export function createIdReader(
  config: { vision: VisionConfig; idReadSeconds: number },
  pictures: PictureDecoder,
): IdReader & { close(): Promise<void> } {
  if (config.vision === null) return createOcrIdReader({ timeoutMs: config.idReadSeconds * 1000, pictures });
  return { ...createVisionIdReader(config.vision), close: () => Promise.resolve() };
}

/**
 * Stores objects on the local disk or in an S3 bucket, and reports the bucket's calls to `observe`. Imports the S3 library only when it is
 * needed.
 */
export async function createStore(
  config: { storage: StorageConfig; dataDir: string },
  observe: ObserveCalls = () => undefined,
): Promise<ObjectStore> {
  if (config.storage.s3 === null) return createDiskStore(join(config.dataDir, 'objects'));
  const { createS3Store } = await import('#server/providers/s3-store.ts');
  return observeStore(createS3Store(config.storage.s3, join(config.dataDir, 'spool')), observe);
}

/** Creates the wallet passes for which keys are configured. Imports nothing for the others. */
export async function createWallets(
  { apple, google }: WalletConfig,
  {
    applePush,
    googleWallet,
  }: { readonly applePush: Pick<Circuit, 'run'>; readonly googleWallet: Pick<Circuit, 'run'> },
): Promise<Wallets> {
  return {
    apple: apple && (await import('#server/providers/wallet/apple-passes.ts')).createApplePasses(apple, applePush),
    google:
      google && (await import('#server/providers/wallet/google-passes.ts')).createGooglePasses(google, googleWallet),
  };
}

/** The available kinds of passes, separated by spaces. */
export const getKinds = (wallets: Wallets): string =>
  Object.entries(wallets)
    .flatMap(([kind, passes]) => (passes === null ? [] : [kind]))
    .join(' ');
