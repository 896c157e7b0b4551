/** A no in the storage protocol's words: HTTP 400 and `{statusCode, error, message, code}` (wire.md 4); clients look at `code` first. */
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

/** Codes of hosted Supabase (storage-api, src/internal/errors/codes.ts). */
export const storageErrors = {
  noBucket: () => new StorageRefusal('404', 'NoSuchBucket', 'Bucket not found', 'Bucket not found'),
  noObject: () => new StorageRefusal('404', 'NoSuchKey', 'not_found', 'Object not found'),
  duplicate: () => new StorageRefusal('409', 'KeyAlreadyExists', 'Duplicate', 'The resource already exists'),
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
  denied: () => new StorageRefusal('403', 'AccessDenied', 'Unauthorized', 'new row violates row-level security policy'),
  token: () => new StorageRefusal('400', 'InvalidJWT', 'InvalidJWT', 'Invalid Compact JWS'),
  path: () => new StorageRefusal('400', 'InvalidKey', 'InvalidKey', 'Invalid key'),
  body: () => new StorageRefusal('400', 'InvalidRequest', 'invalid_request', 'The body is not what this call takes'),
  off: () => new StorageRefusal('404', 'InvalidRequest', 'not_found', 'There is nothing at this address', 404),
  broken: (requestId: string) =>
    new StorageRefusal(
      '500',
      'InternalError',
      'Internal',
      `Something went wrong on our side. Request ${requestId}.`,
      500,
    ),
} as const;
