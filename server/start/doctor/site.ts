import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Config } from '#server/config/operating/config.ts';
import { fail, type Finding, ok, getReason, warn } from './finding.ts';

type CheckedParts = Pick<Config, 'siteUrl' | 'dataDir'>;
const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
/** Renewals begin thirty days before the certificate expires. */
const LATE_DAYS = 14;

/** Checks whether the public address leads to this server with a valid certificate, and whether WebSockets reach it. */
export async function siteFindings(config: CheckedParts): Promise<Finding[]> {
  const { siteUrl } = config;
  try {
    const answer = await fetch(`${siteUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    const failing = answer.status === 503 ? failedChecks(await answer.text()) : [];
    const advice = 'docs/running.md explains the checks of /readyz.';
    if (failing.length > 0) return [fail(`the server is not ready: ${failing.join(', ')}`, advice)];
    if (answer.status !== 200)
      return [
        fail(`${siteUrl}/readyz answers ${answer.status}`, 'Start the server, and let the proxy lead to its PORT.'),
      ];
  } catch (error) {
    const advice =
      'Start the server and the proxy; the name has to lead to this machine, and its certificate has to fit the name.';
    return [fail(`${siteUrl} cannot be reached: ${getReason(error)}`, advice)];
  }
  const url = new URL(siteUrl);
  return [
    ok(`${siteUrl} leads to a server that is ready`),
    ...(url.protocol === 'https:' ? [certificateFinding(url.hostname, await readExpiry(url))] : []),
    ...(await socketFindings(config)),
  ];
}

/** Returns the checks of /readyz that fail. A proxy without a server also answers 503, but without these checks. */
function failedChecks(body: string): string[] {
  const checks = /"checks":\{([^}]*)\}/.exec(body)?.[1] ?? '';
  return [...checks.matchAll(/"(\w+)":"failed"/g)].map(([, name = '']) => name);
}

async function readExpiry(url: URL): Promise<Date> {
  const socket = connect({ host: url.hostname, port: Number(url.port || 443), servername: url.hostname });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the TLS connection takes too long')));
  await once(socket, 'secureConnect');
  const { valid_to: end } = socket.getPeerCertificate();
  socket.destroy();
  return new Date(end);
}

/** Judges how long a certificate is still valid. */
export function certificateFinding(host: string, end: Date, now = new Date()): Finding {
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const text = `the certificate of ${host} is valid for ${days} more days`;
  return days < LATE_DAYS
    ? warn(text, 'Find out why it is not renewed: see the log of the proxy or of certbot.')
    : ok(text);
}

/** Only the pages notice a proxy that does not pass WebSockets on: they then poll once a minute. */
async function socketFindings({ siteUrl, dataDir }: CheckedParts): Promise<Finding[]> {
  const file = join(dataDir, 'runtime.json');
  if (!existsSync(file)) return [];
  const { anonKey } = JSON.parse(readFileSync(file, 'utf8')) as { anonKey: string };
  const address = `${siteUrl.replace(/^http/, 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${anonKey}`;
  const socket = new WebSocket(address);
  const opened = await new Promise<boolean>((settle) => {
    socket.addEventListener('open', () => settle(true));
    socket.addEventListener('error', () => settle(false));
    setTimeout(() => settle(false), TIMEOUT_MS).unref();
  });
  socket.close();
  if (opened) return [ok('sockets of live pages are passed on')];
  const advice = 'Let the proxy pass Upgrade and Connection on (deploy/nginx.conf); REALTIME=false switches them off.';
  return [warn('sockets of live pages are not passed on', advice)];
}
