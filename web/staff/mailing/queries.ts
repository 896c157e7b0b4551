import type { Letter } from '#rules/letter.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A mail to the mailing list, with its counts. */
export type Campaign = {
  readonly id: string;
  readonly subject: string;
  /** Null if the account was deleted. */
  readonly made_by: string | null;
  readonly created_at: string;
  readonly per_minute: number;
  readonly recipients: number;
  readonly sent: number;
  readonly bounced: number;
  readonly skipped: number;
  readonly stopped_at: string | null;
  readonly finished_at: string | null;
};
/** Whether a campaign is still sending mails. */
export const isRunning = (campaign: Campaign): boolean => campaign.stopped_at === null && campaign.finished_at === null;

export type Subscription = {
  readonly email: string;
  readonly joined_at: string;
  readonly left_at: string | null;
  readonly bounced_at: string | null;
};
export type Counts = { readonly subscribed: number; readonly gone: number; readonly bounced: number };

/** The highest number of addresses that are read. */
export const ADDRESSES_SHOWN = 50;

export async function readCampaigns(): Promise<Campaign[]> {
  const { data, error } = await rest.rpc('campaigns', {});
  if (error) throw error;
  const counts = ['per_minute', 'recipients', 'sent', 'bounced', 'skipped'] as const;
  return rowsWith(data, 'id', 'subject', 'created_at', ...counts);
}
/** Reads the addresses that contain the words, newest first. */
export async function searchMailingList(words: string): Promise<Subscription[]> {
  const { data, error } = await rest.rpc('search_mailing_list', { words, most: ADDRESSES_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'email', 'joined_at');
}
export async function readMailingCounts(): Promise<Counts> {
  const { data, error } = await rest.rpc('mailing_list_counts');
  if (error) throw error;
  const [counts] = rowsWith(data, 'subscribed', 'gone', 'bounced');
  if (!counts) throw new Error('mailing_list_counts returned no row');
  return counts;
}
export async function removeFromMailingList(address: string): Promise<void> {
  const { error } = await rest.rpc('remove_from_mailing_list', { address });
  if (error) throw error;
}
/** Mails everyone on the list and returns the number of recipients. Idempotent for the same id. */
export function sendCampaign(
  campaign: Letter & { campaignId: string; perMinute: number },
): Promise<CallAnswer<'staff-send-campaign'>> {
  return callFunction('staff-send-campaign', campaign);
}
/** Mails a letter to the staff account itself. */
export function testCampaign(letter: Letter): Promise<unknown> {
  return callFunction('staff-test-campaign', letter);
}
export function stopCampaign(campaignId: string): Promise<unknown> {
  return callFunction('staff-stop-campaign', { campaignId });
}
/** Reads the mailing list as CSV. */
export function readMailingList(): Promise<string> {
  return callFunction('staff-export-list', { list: 'mailing-list' });
}
