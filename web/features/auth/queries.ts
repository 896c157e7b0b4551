import { normalisePhone } from '#rules/people.ts';
import { supabase } from '#web/data/client.ts';
import { apiUrl, publicKey } from '#web/data/server.ts';

export type SignUp = {
  readonly fullName: string;
  readonly email: string;
  readonly phone: string;
  readonly djName?: string | undefined;
  readonly password: string;
  /** Date of birth, YYYY-MM-DD. */
  readonly birth: string;
};

export async function signUp(input: SignUp, redirectTo: string): Promise<{ signedIn: boolean }> {
  const { data, error } = await supabase.auth.signUp({
    email: input.email,
    password: input.password,
    options: {
      emailRedirectTo: redirectTo,
      data: {
        full_name: input.fullName,
        phone: normalisePhone(input.phone) ?? input.phone,
        dj_name: input.djName ?? '',
        date_of_birth: input.birth,
      },
    },
  });
  if (error) throw error;
  return { signedIn: data.session !== null };
}

/** Signs in and returns the name for the greeting: the DJ name, otherwise the first name, otherwise ''. */
export async function signIn({ email, password }: { email: string; password: string }): Promise<string> {
  const { data, error } = await supabase.auth.signInWithPassword({ email, password });
  if (error) throw error;
  const { dj_name: djName, full_name: fullName } = data.user.user_metadata;
  if (typeof djName === 'string' && djName !== '') return djName;
  return typeof fullName === 'string' ? (fullName.split(' ')[0] ?? '') : '';
}

export async function verifyCode(email: string, token: string): Promise<void> {
  const { error } = await supabase.auth.verifyOtp({ email, token, type: 'email' });
  if (error) throw error;
}

/** Purpose of a mailed link. */
export type LinkKind = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change';

/** Verifies a mailed link. Returns false while a change of address still needs the link sent to the other address. */
export async function verifyLink(tokenHash: string, type: LinkKind): Promise<boolean> {
  const { data, error } = await supabase.auth.verifyOtp({ token_hash: tokenHash, type });
  if (error) throw error;
  return data.session !== null;
}

export async function resendCode(email: string): Promise<void> {
  const { error } = await supabase.auth.resend({ type: 'signup', email });
  if (error) throw error;
}

export async function sendReset(email: string): Promise<void> {
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo: `${apiUrl}/auth?reset=true` });
  if (error) throw error;
}

export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error) throw error;
}

/**
 * Checks whether an address has an account, with a dry run of /recover that sends no mail. Waits while it is rate limited. Null if the
 * answer cannot be determined.
 */
export async function emailTaken(email: string, signal: AbortSignal): Promise<boolean | null> {
  try {
    const response = await fetch(`${apiUrl}/auth/v1/recover`, {
      method: 'POST',
      headers: { apikey: publicKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, dry_run: true }),
      signal,
    });
    if (response.ok) return true;
    if (response.status === 404) return false;
    if (response.status !== 429) return null;
    const wait = Number(response.headers.get('retry-after') ?? 5);
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    return signal.aborted ? null : await emailTaken(email, signal);
  } catch {
    return null; // no answer: the sign-up itself will report it
  }
}

/** The ways to sign in without a password that the server allows. */
export type SignInMethods = { readonly providers: readonly string[]; readonly passkeys: boolean };

const NOT_PROVIDERS = ['email', 'phone', 'anonymous_users'];

/** Reads the ways to sign in without a password. Returns none if the request fails. */
export async function readSignInMethods(): Promise<SignInMethods> {
  try {
    const response = await fetch(`${apiUrl}/auth/v1/settings`, { headers: { apikey: publicKey } });
    const settings: unknown = await response.json();
    if (!response.ok || settings === null || typeof settings !== 'object') return NO_OTHER_WAYS;
    const external = 'external' in settings && settings.external !== null ? settings.external : {};
    return {
      providers: Object.entries(external ?? {})
        .filter(([name, open]) => open === true && !NOT_PROVIDERS.includes(name))
        .map(([name]) => name),
      passkeys: 'passkeys_enabled' in settings && settings.passkeys_enabled === true && 'PublicKeyCredential' in window,
    };
  } catch {
    return NO_OTHER_WAYS;
  }
}
const NO_OTHER_WAYS: SignInMethods = { providers: [], passkeys: false };

/** Redirects to an identity provider. `returnTo`: the page of this site to which it returns. */
export async function continueWith(provider: string, returnTo: string): Promise<void> {
  // The type lists only the providers of the hosted service, but an operator may configure others.
  const { error } = await supabase.auth.signInWithOAuth({
    provider: provider as 'google',
    options: { redirectTo: returnTo },
  });
  if (error) throw error;
}

/** Exchanges the code from an identity provider for a session. */
export async function finishContinue(code: string): Promise<void> {
  const { error } = await supabase.auth.exchangeCodeForSession(code);
  if (error) throw error;
}

export async function signInWithPasskey(): Promise<void> {
  const { error } = await supabase.auth.signInWithPasskey();
  if (error) throw error;
}

/** A verified second factor. */
export type SecondFactor = { readonly id: string; readonly type: 'totp' | 'phone' | 'webauthn'; readonly name: string };

/** Starts a challenge and returns its id. For a phone factor this sends the message. */
export async function challengeFactor(factorId: string): Promise<string> {
  const { data, error } = await supabase.auth.mfa.challenge({ factorId });
  if (error) throw error;
  return data.id;
}
export async function verifyFactor(factorId: string, challengeId: string, code: string): Promise<void> {
  const { error } = await supabase.auth.mfa.verify({ factorId, challengeId, code });
  if (error) throw error;
}
export async function verifyKey(factorId: string): Promise<void> {
  const { error } = await supabase.auth.mfa.webauthn.authenticate({ factorId });
  if (error) throw error;
}
