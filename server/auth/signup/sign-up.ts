import { z } from 'zod';
import { checkMetadata } from '../accounts/metadata.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { readContact } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, readRequestInfo } from '../core/request.ts';
import { signUpAnonymously } from './anonymous.ts';
import { signUpAutoconfirmed } from './sign-up-autoconfirmed.ts';
import { signUpByCode, type SignUpForm } from './sign-up-by-code.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  channel: z.string().nullish(),
});
type Body = z.output<typeof schema>;
/**
 * `POST /signup` signs up by email or phone, or anonymously without either. Sends a code. For a taken address the answer is the same, and
 * the owner gets a mail. With autoconfirm it returns a session, and "User already registered" for a taken address.
 */
export async function signUp(context: AuthContext, c: Call): Promise<Response> {
  const { config } = context;
  const body = await readBody(c, schema);
  const request = readRequestInfo(c);
  if (!body.email && !body.phone && !body.password)
    return c.json(await signUpAnonymously(context, body.data ?? {}, request));
  const form = readForm(context, body);
  await takeLimit(context, authLimits.signUpIp, `ip:${request.ip}`);
  const autoconfirm = 'email' in form.contact ? config.autoconfirm : config.phoneAutoconfirm;
  return c.json(
    autoconfirm ? await signUpAutoconfirmed(context, form, request) : await signUpByCode(context, form, request),
  );
}

/** Checks a sign-up in the order of Supabase Auth. */
function readForm(context: AuthContext, body: Body): SignUpForm {
  const { config } = context;
  if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone signups are disabled');
  if (!body.password) throw refuse.validation('Signup requires a valid password');
  if (!config.signupEnabled) throw refuse.signUpDisabled();
  if (body.email && body.phone)
    throw refuse.validation('Only an email address or phone number should be provided on signup.');
  if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
  const contact = readContact(body);
  const data = body.data ?? {};
  checkPassword(context, body.password);
  checkMetadata(data);
  return { contact, password: body.password, data };
}
