import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { PROVIDER_TIMEOUT_MS, ProviderError } from '../call.ts';
import type { PassPushes } from '../ports.ts';

type Settings = {
  readonly certificate: string;
  readonly key: string;
  readonly typeId: string;
  readonly pushUrl: string;
};
type Answer = { readonly status: number; readonly reason: string };

/** Apple's reasons for refusing a token that should be forgotten: the pass or the phone is gone, or the token was never valid. */
const GONE = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic', 'ExpiredToken', 'Unregistered']);

/**
 * Pushes through Apple's service over HTTP/2, identified by the certificate of the passes. A push has no content: the phone then requests
 * the pass from this server. One connection serves all phones of a pass.
 */
export function createApplePush({ certificate, key, typeId, pushUrl }: Settings) {
  return async (tokens: readonly string[], until: Date): Promise<PassPushes> => {
    const session = await open(pushUrl, { cert: certificate, key });
    try {
      const answers = await Promise.all(
        tokens.map((token) =>
          send(session, {
            [constants.HTTP2_HEADER_METHOD]: 'POST',
            [constants.HTTP2_HEADER_PATH]: `/3/device/${token}`,
            'apns-topic': typeId,
            'apns-expiration': String(Math.floor(until.getTime() / 1000)),
          }),
        ),
      );
      const isGone = ({ status, reason }: Answer): boolean => status === 410 || (status === 400 && GONE.has(reason));
      const failed = answers.find((answer) => answer.status !== 200 && !isGone(answer));
      return {
        gone: tokens.filter((_, index) => {
          const answer = answers[index];
          return answer !== undefined && isGone(answer);
        }),
        failed: failed === undefined ? null : failed.reason || `status ${failed.status}`,
      };
    } finally {
      session.destroy();
    }
  };
}

const lost = (cause?: unknown): ProviderError =>
  new ProviderError('apple-push', 'no_response', { retryable: true, ambiguous: true }, cause);

function open(url: string, secrets: { cert: string; key: string }): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(url, { ...secrets, timeout: PROVIDER_TIMEOUT_MS });
    const fail = (cause?: unknown): void => {
      session.destroy();
      reject(lost(cause));
    };
    session.once('connect', () => resolve(session));
    // The listener stays for the whole life of the session: an error without a listener would end the process.
    session.on('error', fail);
    session.setTimeout(PROVIDER_TIMEOUT_MS, () => fail());
  });
}

function send(session: ClientHttp2Session, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let status: number | null = null;
    let body = '';
    stream.setEncoding('utf8');
    stream.on('response', (answer) => (status = Number(answer[':status'])));
    // A reason is short, so a longer body is cut off.
    stream.on('data', (part: string) => (body = (body + part).slice(0, 1_000)));
    stream.on('error', (cause) => reject(lost(cause)));
    stream.on('close', () => (status === null ? reject(lost()) : resolve({ status, reason: parseReason(body) })));
    stream.end('{}');
  });
}

function parseReason(body: string): string {
  return /"reason"\s*:\s*"(\w{1,60})"/.exec(body)?.[1] ?? '';
}
