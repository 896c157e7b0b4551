import { type ObjectService, startObjectService } from '#sandbox/main.ts';

/** A place where the server stores files: its own disk or an S3 service. */
export type Store = {
  readonly name: string;
  /** Returns the environment that selects this store, and the service. */
  open(): Promise<OpenStore>;
};
export type OpenStore = {
  readonly env: Record<string, string>;
  /** Null if the files are in the server's own folder. */
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
      STORAGE_S3_PREFIX: 'studio/files',
    },
    close: () => service.close(),
  };
}
