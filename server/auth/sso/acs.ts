import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal } from '../errors.ts';
import { admit } from '../external/callback.ts';
import type { Flow } from '../external/flows.ts';
import { leadWithRefusal } from '../external/lead-back.ts';
import type { Outsider } from '../external/outside-account.ts';
import { firstShowing } from '../external/shown-proofs.ts';
import type { Operation } from '../request.ts';
import { samlDisabled } from './sso.ts';

/**
 * `POST /sso/saml/acs`: an employer's identity provider answers. Only what we asked for is taken: an answer nobody asked for could sign
 * somebody into a stranger's account.
 */
export function createAcs(parts: AuthParts): Operation {
  const { db, config, employers, flows } = parts;
  return async (c) => {
    if (employers.length === 0) throw samlDisabled();
    const form = new URLSearchParams(await c.req.text());
    const flow = await db.transaction((tx) => flows.take(tx, form.get('RelayState') ?? ''));
    if (flow?.method !== 'sso/saml') return leadWithRefusal(c, config.siteUrl, noState());
    try {
      return await finish(parts, c, flow, form.get('SAMLResponse') ?? '');
    } catch (error) {
      if (error instanceof AuthRefusal) return leadWithRefusal(c, flow.redirectTo, error);
      c.var.log.warn({ err: error, provider: flow.provider }, 'a single sign-on was refused');
      return leadWithRefusal(c, flow.redirectTo, notValid());
    }
  };
}

const noState = (): AuthRefusal =>
  new AuthRefusal(404, 'saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?');
const notValid = (): AuthRefusal => new AuthRefusal(400, 'validation_failed', 'SAML Assertion is not valid');

async function finish(parts: AuthParts, c: Context<Env>, flow: Flow, answer: string): Promise<Response> {
  const employer = parts.employers.find((one) => flow.provider === `sso:${one.id}`);
  if (!employer || flow.requestId === null) throw noState();
  if (answer === '') throw new AuthRefusal(400, 'validation_failed', 'SAMLResponse is missing');
  const { person, id, expiresAt } = await employer.read(answer, flow.requestId);
  if (person.subject === '')
    throw new AuthRefusal(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    );
  if (person.email === null)
    throw new AuthRefusal(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  // An employer speaks for its own people and for nobody else's.
  if (!/^[^@\s]+@[^@\s]+$/.test(person.email) || !employer.domains.includes(person.email.split('@')[1] ?? ''))
    throw new AuthRefusal(
      403,
      'email_address_not_authorized',
      'The identity provider may not vouch for addresses of this domain',
    );
  const shown = { kind: 'saml', text: `${employer.id}\n${id}`, until: expiresAt };
  if (!(await firstShowing(parts.db, parts.keys, shown))) throw notValid();
  const who: Outsider = { ...person, provider: flow.provider, needsEmail: true, sso: true };
  return admit(parts, c, flow, who, null);
}
