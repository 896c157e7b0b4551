import { z } from 'zod';
import { readReply } from './call.ts';
import { callHttp, refusedBy } from './http-call.ts';
import type { Captcha } from './ports.ts';

const verdictSchema = z.looseObject({ success: z.boolean() });

/** Checks captchas of Turnstile and hCaptcha, which accept the same form at different URLs. */
export function createCaptcha(config: { provider: string; secret: string; url: string }): Captcha {
  return {
    async check(token, ip) {
      const { status, body } = await callHttp(config.provider, config.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ secret: config.secret, response: token, remoteip: ip }).toString(),
      });
      if (status >= 500) throw refusedBy(config.provider, status, `status ${status}`, body);
      return readReply(config.provider, verdictSchema, body).success;
    },
  };
}
