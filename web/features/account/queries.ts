import { readFailure } from '#web/lib/errors.ts';
import { type OwnerProof, proofBody } from '#web/data/account/owner-proof.ts';
import { supabase } from '#web/data/client.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { apiUrl, publicKey } from '#web/data/server.ts';
import type { Profile } from '#web/data/profile.ts';

export async function saveProfile(
  userId: string,
  profile: Pick<Profile, 'full_name' | 'phone' | 'dj_name' | 'date_of_birth'>,
): Promise<void> {
  const { error } = await rest.from('profiles').update(profile).eq('user_id', userId);
  if (error) throw error;
}
/** Changes the address or password of the account. The proof has the fields of the account API. */
async function changeSignIn(change: { email: string } | { password: string }, proof: OwnerProof): Promise<void> {
  const { error } = await supabase.auth.updateUser({
    ...change,
    ...(proof.currentPassword === '' ? {} : { current_password: proof.currentPassword }),
    ...(proof.nonce === '' ? {} : { nonce: proof.nonce }),
  });
  if (error) throw error;
}
export const changeEmail = (email: string, proof: OwnerProof): Promise<void> => changeSignIn({ email }, proof);
export const changePassword = (password: string, proof: OwnerProof): Promise<void> => changeSignIn({ password }, proof);
/** Cancels a booking, or with `series` every booking of its series that can still be cancelled. */
export function cancelBooking(bookingId: string, series: boolean): Promise<CallAnswer<'cancel-booking'>> {
  return callFunction('cancel-booking', { bookingId, series });
}

/** Reads everything that is stored about the account, as the text of a JSON file. */
export async function readOwnData(): Promise<string> {
  return JSON.stringify(await callFunction('export-my-data', {}), null, 2);
}
export function deleteAccount(proof: OwnerProof): Promise<CallAnswer<'delete-account'>> {
  return callFunction('delete-account', { confirm: 'DELETE', ...proofBody(proof) });
}
export type AuthenticatorApp = { readonly id: string; readonly name: string; readonly addedAt: string };
/** An authenticator app that is being added, with its QR code (raw SVG) and secret. */
export type NewAuthenticatorApp = { readonly id: string; readonly qrCode: string; readonly secret: string };
export type Passkey = {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
};

export async function readAuthenticatorApps(): Promise<AuthenticatorApp[]> {
  const { data, error } = await supabase.auth.mfa.listFactors();
  if (error) throw error;
  return data.totp.map((factor) => ({ id: factor.id, name: factor.friendly_name ?? '', addedAt: factor.created_at }));
}
export async function addAuthenticatorApp(name: string): Promise<NewAuthenticatorApp> {
  const { data, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: name });
  if (error) throw error;
  return { id: data.id, qrCode: data.totp.qr_code.replace(/^data:[^,]*,/, ''), secret: data.totp.secret };
}
/** Confirms the app with its first code. The server then ends all other sessions that have not used the app. */
export async function confirmAuthenticatorApp(id: string, code: string): Promise<void> {
  const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId: id, code });
  if (error) throw error;
}
export async function removeAuthenticatorApp(id: string): Promise<void> {
  const { error } = await supabase.auth.mfa.unenroll({ factorId: id });
  if (error) throw error;
  // The current token still lists the removed factor.
  await supabase.auth.refreshSession();
}

export async function readPasskeys(): Promise<readonly Passkey[]> {
  const { data, error } = await supabase.auth.passkey.list();
  if (error) throw error;
  return data ?? [];
}
export async function addPasskey(name: string): Promise<void> {
  const { data, error } = await supabase.auth.registerPasskey();
  if (error) throw error;
  if (data) await renamePasskey(data.id, name);
}
export async function renamePasskey(passkeyId: string, friendlyName: string): Promise<void> {
  const { error } = await supabase.auth.passkey.update({ passkeyId, friendlyName });
  if (error) throw error;
}
export async function removePasskey(passkeyId: string): Promise<void> {
  const { error } = await supabase.auth.passkey.delete({ passkeyId });
  if (error) throw error;
}

/** A device on which the account is signed in. */
export type OwnSession = {
  readonly id: string;
  readonly refreshed_at: string;
  readonly user_agent: string | null;
  readonly current: boolean;
};

/** Calls the sessions endpoint directly, because supabase-js has no method for it. */
async function callSessions(method: 'GET' | 'DELETE', path: string): Promise<Response> {
  const { session } = (await supabase.auth.getSession()).data;
  const response = await fetch(`${apiUrl}/auth/v1/user/sessions${path}`, {
    method,
    headers: { apikey: publicKey, authorization: `Bearer ${session?.access_token ?? publicKey}` },
  });
  if (!response.ok) throw await readFailure(response);
  return response;
}
export async function readSessions(): Promise<OwnSession[]> {
  const body: { sessions: OwnSession[] } = await (await callSessions('GET', '')).json();
  return body.sessions;
}
export async function endSession(id: string): Promise<void> {
  await callSessions('DELETE', `/${id}`);
}
