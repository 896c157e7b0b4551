import { normalisePhone } from '#rules/people.ts';
import { apiUrl, publicKey, supabase } from '#web/lib/supabase.ts';

export type SignUp = {
  fullName: string;
  email: string;
  phone: string;
  djName: string;
  password: string;
  dateOfBirth: string;
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
        dj_name: input.djName,
        date_of_birth: input.dateOfBirth,
      },
    },
  });
  if (error) throw error;
  return { signedIn: data.session !== null };
}

/** Signs in; answers what to greet with: DJ name, else first name, else nothing (spec section 8). */
export async function signIn(email: string, password: string): Promise<string> {
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

export async function verifyLink(tokenHash: string, type: 'signup' | 'recovery' | 'email_change'): Promise<void> {
  const { error } = await supabase.auth.verifyOtp({ token_hash: tokenHash, type });
  if (error) throw error;
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

/** Whether an address has an account already, asked without sending a mail (decisions T-11). Waits out a limit; null when it cannot be known. */
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
    return null; // no answer: sign-up itself will tell
  }
}
