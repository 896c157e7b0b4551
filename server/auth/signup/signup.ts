import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Operation, readAddress, readBody, readFrom, readPhone } from '../core/request.ts';
import { checkMetadata } from '../accounts/users.ts';
import { createAnonymousSignUp } from './anonymous.ts';
import { createConfirmedSignUp } from './sign-up-at-once.ts';
import { createSignUpByCode, type SignUpForm } from './sign-up-by-code.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  channel: z.string().nullish(),
});

/**
 * `POST /signup`, by mail address or phone; with neither a visitor stays without a name. Sends a code; the answer for an address that has
 * an account is the same, and its owner gets a mail that says so. With autoconfirm it answers a session at once, and a taken address with
 * "User already registered".
 */
export function createSignUp(parts: AuthContext): Operation {
  const { checkPassword, config, limits } = parts;
  const anonymous = createAnonymousSignUp(parts);
  const atOnce = createConfirmedSignUp(parts);
  const byCode = createSignUpByCode(parts);

  return async (c) => {
    const body = await readBody(c, schema);
    const data = body.data ?? {};
    const from = readFrom(c);
    if (!body.email && !body.phone && !body.password) return c.json(await anonymous(data, from));
    if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone signups are disabled');
    if (!body.password) throw refuse.validation('Signup requires a valid password');
    if (!config.signupEnabled) throw refuse.disabled(422, 'signup_disabled', 'Signups not allowed for this instance');
    if (body.email && body.phone)
      throw refuse.validation('Only an email address or phone number should be provided on signup.');
    if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
    const way = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    checkPassword(body.password);
    checkMetadata(data);
    const wait = await limits(authLimits.signUpIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const form: SignUpForm = { way, password: body.password, data };
    const open = 'email' in way ? config.autoconfirm : config.phoneAutoconfirm;
    return c.json(open ? await atOnce(form, from) : await byCode(form, from));
  };
}
