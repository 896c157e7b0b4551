import { type ObjectService, startObjectService } from '#sandbox/main.ts';

/** Where the house can keep files: its own disk, or a service that speaks S3. */
export type Store = {
  readonly name: string;
  /** The environment that chooses it, and how many files it keeps under a folder. */
  open(): Promise<OpenStore>;
};
export type OpenStore = {
  readonly env: Record<string, string>;
  /** null: the files lie in the house's own folder. */
  readonly service: ObjectService | null;
  close(): Promise<void>;
};

export const stores: readonly Store[] = [
  { name: 'disk', open: () => Promise.resolve({ env: {}, service: null, close: () => Promise.resolve() }) },
  { name: 'S3', open: openService },
];

export async function openService(
  options: { pageSize?: number } = {},
): Promise<OpenStore & { service: ObjectService }> {
  const service = await startObjectService(options);
  return {
    service,
    env: {
      STORAGE_S3_ENDPOINT: service.url,
      STORAGE_S3_BUCKET: service.bucket,
      STORAGE_S3_ACCESS_KEY_ID: service.credentials.accessKeyId,
      STORAGE_S3_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
      STORAGE_S3_REGION: service.credentials.region,
      STORAGE_S3_PREFIX: 'house/files',
    },
    close: () => service.close(),
  };
}
