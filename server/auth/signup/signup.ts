import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Handler, readAddress, readBody, readRequestInfo, readPhone } from '../core/request.ts';
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
 * `POST /signup` by email or phone, or anonymous without either. Sends a code. For a taken address the answer is the same, and the owner
 * gets a mail. With autoconfirm it returns a session, and "User already registered" for a taken address.
 */
export function createSignUp(context: AuthContext): Handler {
  const { checkPassword, config, limits } = context;
  const anonymous = createAnonymousSignUp(context);
  const confirmed = createConfirmedSignUp(context);
  const byCode = createSignUpByCode(context);

  return async (c) => {
    const body = await readBody(c, schema);
    const data = body.data ?? {};
    const request = readRequestInfo(c);
    if (!body.email && !body.phone && !body.password) return c.json(await anonymous(data, request));
    if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone signups are disabled');
    if (!body.password) throw refuse.validation('Signup requires a valid password');
    if (!config.signupEnabled) throw refuse.disabled(422, 'signup_disabled', 'Signups not allowed for this instance');
    if (body.email && body.phone)
      throw refuse.validation('Only an email address or phone number should be provided on signup.');
    if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
    const contact = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    checkPassword(body.password);
    checkMetadata(data);
    const wait = await limits(authLimits.signUpIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const form: SignUpForm = { contact, password: body.password, data };
    const autoconfirm = 'email' in contact ? config.autoconfirm : config.phoneAutoconfirm;
    return c.json(autoconfirm ? await confirmed(form, request) : await byCode(form, request));
  };
}
