import { type OwnerProof, proofBody } from '#web/data/account/owner-proof.ts';
import { supabase } from '#web/data/client.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { apiUrl, publicKey } from '#web/data/server.ts';

/** The reminders that an account receives. `phone`: its confirmed number, or null. `texts`: whether the business sends text messages. */
export type Reminders = {
  readonly email: boolean;
  readonly text: boolean;
  /** Whether the mail after a session is sent. */
  readonly thanks: boolean;
  readonly phone: string | null;
  readonly texts: boolean;
};
export type ReminderSetting = 'remind_by_email' | 'remind_by_text' | 'thank_by_email';

export async function readReminders(userId: string): Promise<Reminders> {
  const [profile, account, texts] = await Promise.all([
    rest.from('profiles').select('remind_by_email,remind_by_text,thank_by_email').eq('user_id', userId).single(),
    supabase.auth.getUser(),
    readTexts(),
  ]);
  if (profile.error) throw profile.error;
  if (account.error) throw account.error;
  const { phone, phone_confirmed_at: confirmed } = account.data.user;
  return {
    email: profile.data.remind_by_email,
    text: profile.data.remind_by_text,
    thanks: profile.data.thank_by_email,
    phone: phone && confirmed ? `+${phone}` : null,
    texts,
  };
}

async function readTexts(): Promise<boolean> {
  const response = await fetch(`${apiUrl}/auth/v1/settings`, { headers: { apikey: publicKey } });
  const settings: { external?: { phone?: boolean } } = await response.json();
  return response.ok && settings.external?.phone === true;
}

const COLUMNS = {
  remind_by_email: (on: boolean) => ({ remind_by_email: on }),
  remind_by_text: (on: boolean) => ({ remind_by_text: on }),
  thank_by_email: (on: boolean) => ({ thank_by_email: on }),
};

export async function setReminder(userId: string, setting: ReminderSetting, on: boolean): Promise<void> {
  const { error } = await rest.from('profiles').update(COLUMNS[setting](on)).eq('user_id', userId);
  if (error) throw error;
}

/** Sends a code to a number. The number is added to the account when the code is entered. */
export async function sendPhoneCode(phone: string, { currentPassword, nonce }: OwnerProof): Promise<void> {
  const { error } = await supabase.auth.updateUser({
    phone,
    ...(currentPassword === '' ? {} : { current_password: currentPassword }),
    ...(nonce === '' ? {} : { nonce }),
  });
  if (error) throw error;
}
/** Sends another code to the number that awaits confirmation. */
export async function sendCodeAgain(phone: string): Promise<void> {
  const { error } = await supabase.auth.resend({ type: 'phone_change', phone });
  if (error) throw error;
}
export async function confirmPhone(phone: string, token: string): Promise<void> {
  const { error } = await supabase.auth.verifyOtp({ phone, token, type: 'phone_change' });
  if (error) throw error;
}
/** Removes the account's number, which also turns text reminders off. Throws `AppError`. */
export const removePhone = (proof: OwnerProof): Promise<CallAnswer<'remove-phone'>> =>
  callFunction('remove-phone', proofBody(proof));
