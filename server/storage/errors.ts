/** A no in the storage protocol's words: HTTP 400 and `{statusCode, error, message}` (wire.md 4). */
export class StorageRefusal extends Error {
  override readonly name = 'StorageRefusal';
  readonly statusCode: string;
  readonly error: string;
  readonly status: number;
  constructor(statusCode: string, error: string, message: string, status = 400) {
    super(message);
    this.statusCode = statusCode;
    this.error = error;
    this.status = status;
  }
}

export const storageErrors = {
  noBucket: () => new StorageRefusal('404', 'Bucket not found', 'Bucket not found'),
  noObject: () => new StorageRefusal('404', 'not_found', 'Object not found'),
  duplicate: () => new StorageRefusal('409', 'Duplicate', 'The resource already exists'),
  tooLarge: () => new StorageRefusal('413', 'Payload too large', 'The object exceeded the maximum allowed size', 413),
  mime: (type: string) =>
    new StorageRefusal('415', 'invalid_mime_type', `mime type ${type.slice(0, 60)} is not supported`),
  picture: () => new StorageRefusal('415', 'invalid_mime_type', 'This picture cannot be read'),
  denied: () => new StorageRefusal('403', 'Unauthorized', 'new row violates row-level security policy'),
  token: () => new StorageRefusal('400', 'InvalidJWT', 'Invalid Compact JWS'),
  path: () => new StorageRefusal('400', 'InvalidKey', 'Invalid key'),
  body: () => new StorageRefusal('400', 'invalid_request', 'The body is not what this call takes'),
  off: () => new StorageRefusal('404', 'not_found', 'There is nothing at this address', 404),
} as const;
