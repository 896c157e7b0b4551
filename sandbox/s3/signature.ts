import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Signature Version 4 as S3 checks it (AWS, "Authenticating Requests: Using the Authorization Header"). */

export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly region: string };
/** An error in S3's words. */
export type Fault = { readonly status: number; readonly code: string; readonly message: string };

const SKEW_MS = 15 * 60_000;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const fault = (status: number, code: string, message: string): Fault => ({ status, code, message });

/**
 * Checks the signature of a request, but not the hash of the body, which is compared after the body has arrived. Returns null if it is
 * valid.
 */
export function checkSignature(request: IncomingMessage, expected: Credentials): Fault | null {
  const header = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    request.headers.authorization ?? '',
  );
  if (!header) return fault(403, 'AccessDenied', 'Anonymous access is forbidden');
  const [credential = '', signedHeaders = '', signature = ''] = header.slice(1);
  const [accessKeyId, date = '', region, service, end] = credential.split('/');
  if (accessKeyId !== expected.accessKeyId)
    return fault(403, 'InvalidAccessKeyId', 'The access key does not exist in our records');
  if (region !== expected.region || service !== 's3' || end !== 'aws4_request')
    return fault(400, 'AuthorizationHeaderMalformed', 'The credential scope is wrong');
  const time = getHeader(request, 'x-amz-date');
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!time.startsWith(date) || !(Math.abs(Date.now() - at) < SKEW_MS))
    return fault(403, 'RequestTimeTooSkewed', 'The time of the request is too far from ours');
  const names = signedHeaders.split(';');
  const must = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))];
  if (must.some((name) => !names.includes(name)) || !must.includes('x-amz-content-sha256'))
    return fault(403, 'AccessDenied', 'There were headers present in the request which were not signed');

  const [path = '', query = ''] = (request.url ?? '').split('?');
  const canonical = [
    request.method ?? '',
    path,
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${getHeader(request, name).trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders,
    getHeader(request, 'x-amz-content-sha256'),
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${expected.secretAccessKey}`, date), expected.region));
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex'))
    ? null
    : fault(403, 'SignatureDoesNotMatch', 'The signature we calculated does not match the one you provided');
}

function getHeader(request: IncomingMessage, name: string): string {
  return [request.headers[name] ?? ''].flat().join(',');
}
