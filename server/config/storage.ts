import { z } from 'zod';
import { address, flag, text, whole } from './fields.ts';

/** The environment variables for stored files, spread into the schema in config.ts. */
export const storageFields = {
  STORAGE_FILE_SIZE_LIMIT: whole(10_485_760, 5_000_000_000).default(52_428_800),
  STORAGE_OPEN_UPLOADS_PER_ACCOUNT: whole(10_485_760, 1_000_000_000_000).default(209_715_200),
  STORAGE_OPEN_UPLOADS: whole(10_485_760, 10_000_000_000_000).default(5_368_709_120),
  STORAGE_S3_BUCKET: z.string().min(3).max(63).optional(),
  STORAGE_S3_ENDPOINT: address.optional(),
  STORAGE_S3_REGION: text.default('us-east-1'),
  STORAGE_S3_ACCESS_KEY_ID: text.optional(),
  STORAGE_S3_SECRET_ACCESS_KEY: text.optional(),
  STORAGE_S3_PREFIX: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*\/?$/, 'may have letters, digits, ., -, _ and /')
    .transform((prefix) => prefix.replace(/\/?$/, '/'))
    .optional(),
  STORAGE_S3_PATH_STYLE: flag.optional(),
};
type StorageEnvironment = z.output<z.ZodObject<typeof storageFields>>;

export type StorageConfig = {
  /** Largest object in any bucket, in bytes. */
  readonly sizeMax: number;
  /** Maximum number of bytes that unfinished resumable uploads may announce, per account and in total. */
  readonly openUploads: { readonly perAccount: number; readonly total: number };
  /** The S3 service that stores objects, or null for the data folder on this disk. */
  readonly s3: {
    readonly bucket: string;
    /** Null for Amazon's own endpoint of the region. */
    readonly endpoint: string | null;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    /** Prefix of every key, which ends with `/` or is empty. */
    readonly prefix: string;
    readonly pathStyle: boolean;
  } | null;
};

export function readStorageConfig(env: StorageEnvironment): StorageConfig {
  return {
    sizeMax: env.STORAGE_FILE_SIZE_LIMIT,
    openUploads: { perAccount: env.STORAGE_OPEN_UPLOADS_PER_ACCOUNT, total: env.STORAGE_OPEN_UPLOADS },
    s3: readS3(env),
  };
}

function readS3(env: StorageEnvironment): StorageConfig['s3'] {
  const [bucket, accessKeyId] = [env.STORAGE_S3_BUCKET, env.STORAGE_S3_ACCESS_KEY_ID];
  const secretAccessKey = env.STORAGE_S3_SECRET_ACCESS_KEY;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return null;
  return {
    bucket,
    endpoint: env.STORAGE_S3_ENDPOINT ?? null,
    region: env.STORAGE_S3_REGION,
    accessKeyId,
    secretAccessKey,
    prefix: env.STORAGE_S3_PREFIX ?? '',
    // Most services other than Amazon's do not have a host name per bucket.
    pathStyle: env.STORAGE_S3_PATH_STYLE ?? env.STORAGE_S3_ENDPOINT !== undefined,
  };
}

/**
 * Lists the faults of the variables about stored files: budgets below the largest file, and S3 variables without the variables that they
 * need.
 */
export function storageFaults(env: Partial<StorageEnvironment>): string[] {
  return [...uploadFaults(env), ...s3Faults(env)];
}

/** Checks that a file of the largest size fits into the budgets. */
function uploadFaults(env: Partial<StorageEnvironment>): string[] {
  const largest = env.STORAGE_FILE_SIZE_LIMIT ?? 0;
  return (['STORAGE_OPEN_UPLOADS_PER_ACCOUNT', 'STORAGE_OPEN_UPLOADS'] as const)
    .filter((name) => (env[name] ?? largest) < largest)
    .map((name) => `${name}: is less than STORAGE_FILE_SIZE_LIMIT`);
}

function s3Faults(env: Partial<StorageEnvironment>): string[] {
  const needed = ['STORAGE_S3_BUCKET', 'STORAGE_S3_ACCESS_KEY_ID', 'STORAGE_S3_SECRET_ACCESS_KEY'] as const;
  const settings = [...needed, 'STORAGE_S3_ENDPOINT', 'STORAGE_S3_PREFIX'] as const;
  if (settings.every((name) => env[name] === undefined)) return [];
  return needed.filter((name) => env[name] === undefined).map((name) => `${name}: is needed to keep files with S3`);
}
