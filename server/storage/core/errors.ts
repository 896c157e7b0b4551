import { BUSY_MESSAGE } from '#server/http/classify-error.ts';
/**
 * A refusal of the storage protocol: HTTP 400 and `{statusCode, error, message, code}`. Clients look at `code` first. `status` is the HTTP
 * status where the protocol uses the real one.
 */
export class StorageRefusal extends Error {
  override readonly name = 'StorageRefusal';
  readonly statusCode: string;
  readonly code: string;
  readonly error: string;
  readonly status: number;
  constructor(statusCode: string, code: string, error: string, message: string, status = 400) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.error = error;
    this.status = status;
  }
}

const invalid = (message: string): StorageRefusal =>
  new StorageRefusal('400', 'InvalidRequest', 'invalid_request', message);

/** Codes of hosted Supabase (storage, src/internal/errors/codes.ts). */
export const storageErrors = {
  noBucket: () => new StorageRefusal('404', 'NoSuchBucket', 'Bucket not found', 'Bucket not found'),
  noObject: () => new StorageRefusal('404', 'NoSuchKey', 'not_found', 'Object not found'),
  noUpload: () => new StorageRefusal('404', 'NoSuchUpload', 'NoSuchUpload', 'Upload not found', 404),
  duplicate: () => new StorageRefusal('409', 'KeyAlreadyExists', 'Duplicate', 'The resource already exists'),
  bucketExists: () => new StorageRefusal('409', 'BucketAlreadyExists', 'Duplicate', 'The resource already exists'),
  bucketNotEmpty: () =>
    new StorageRefusal(
      '409',
      'ResourceNotEmpty',
      'ResourceNotEmpty',
      'The bucket you tried to delete is not empty',
      409,
    ),
  bucketName: () => new StorageRefusal('400', 'InvalidBucketName', 'Invalid Input', 'Bucket name invalid'),
  sizeLimit: () => invalid('Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B'),
  tooLarge: () =>
    new StorageRefusal(
      '413',
      'EntityTooLarge',
      'Payload too large',
      'The object exceeded the maximum allowed size',
      413,
    ),
  mime: (type: string) =>
    new StorageRefusal(
      '415',
      'InvalidMimeType',
      'invalid_mime_type',
      `mime type ${type.slice(0, 60)} is not supported`,
    ),
  picture: () => new StorageRefusal('415', 'InvalidMimeType', 'invalid_mime_type', 'This picture cannot be read'),
  busy: () => new StorageRefusal('503', 'SlowDown', 'SlowDown', 'Too many pictures at once, try again soon', 503),
  databaseBusy: () => new StorageRefusal('503', 'SlowDown', 'SlowDown', BUSY_MESSAGE, 503),
  tooMany: () => new StorageRefusal('429', 'SlowDown', 'SlowDown', 'Too many requests, please slow down', 429),
  denied: () => new StorageRefusal('403', 'AccessDenied', 'Unauthorized', 'new row violates row-level security policy'),
  token: () => new StorageRefusal('400', 'InvalidJWT', 'InvalidJWT', 'Invalid Compact JWS'),
  path: () => new StorageRefusal('400', 'InvalidKey', 'InvalidKey', 'Invalid key'),
  body: () => invalid('The body is not what this call takes'),
  broken: (requestId: string) =>
    new StorageRefusal(
      '500',
      'InternalError',
      'Internal',
      `Something went wrong on our side. Request ${requestId}.`,
      500,
    ),
  off: () => new StorageRefusal('404', 'InvalidRequest', 'not_found', 'There is nothing at this address', 404),
  /** An error of the tus protocol, which uses HTTP statuses. */
  tus: (status: number, message: string) => new StorageRefusal(String(status), 'TusError', 'TusError', message, status),
} as const;
