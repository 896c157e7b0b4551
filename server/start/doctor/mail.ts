import { resolveTxt } from 'node:dns/promises';
import nodemailer from 'nodemailer';
import type { Config } from '#server/config/operating/config.ts';
import { isLoopback } from '#server/config/fields.ts';
import { fail, type Finding, listFindings, ok, getReason, warn } from './finding.ts';

const TIMEOUT_MS = 10_000;

/** Logs in to the mail server without sending, and looks up the DNS records that keep mail out of the spam folder. */
export async function mailFindings(config: Pick<Config, 'smtpUrl' | 'mailFrom'>): Promise<Finding[]> {
  const { hostname } = new URL(config.smtpUrl);
  const login = await loginFinding(config.smtpUrl, hostname);
  const here = isLoopback(config.smtpUrl.replace(/^smtps?:/, 'http:'));
  return [login, ...(here ? [] : await senderFindings(config.mailFrom, resolveTxt))];
}

async function loginFinding(url: string, hostname: string): Promise<Finding> {
  const transport = nodemailer.createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    await transport.verify();
    return ok(`${hostname} accepts our login`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EAUTH')
      return fail(`${hostname} refuses the login`, 'Correct user and password in SMTP_URL, with %40 for @ in them.');
    return fail(
      `${hostname}: ${getReason(error)}`,
      'Check SMTP_URL: smtps:// is for port 465, smtp:// for 587; many hosts close port 25.',
    );
  } finally {
    transport.close();
  }
}

type Resolve = (name: string) => Promise<string[][]>;

/** Checks whether the sender's domain states who may send for it (SPF, RFC 7208) and what to do with other mail (DMARC, RFC 7489). */
export async function senderFindings(from: string, resolve: Resolve): Promise<Finding[]> {
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? '';
  const has = async (name: string, start: string): Promise<boolean> =>
    (await resolve(name).catch(() => [])).some((parts) => parts.join('').startsWith(start));
  const [spf, dmarc] = await Promise.all([has(domain, 'v=spf1'), has(`_dmarc.${domain}`, 'v=DMARC1')]);
  const advice = 'Add the DNS record that your mail service shows for the domain, and DKIM with it.';
  return listFindings(
    !spf && warn(`${domain} has no SPF record`, advice),
    !dmarc && warn(`_dmarc.${domain} has no DMARC record`, advice),
    spf && dmarc && ok(`${domain} has SPF and DMARC records`),
  );
}
