import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** An ID that awaits a decision: what was read, and the data of the account. Dates are 'YYYY-MM-DD'. */
export type WaitingId = {
  readonly id: string;
  readonly created_at: string;
  readonly next_session: string | null;
  readonly source: string;
  readonly has_picture: boolean;
  readonly failure_reasons: readonly string[];
  readonly first_name: string | null;
  readonly middle_name: string | null;
  readonly last_name: string | null;
  readonly date_of_birth: string | null;
  readonly expiry_date: string | null;
  readonly account_name: string | null;
  readonly account_date_of_birth: string | null;
  readonly account_email: string | null;
};

export type Decision = 'approve' | 'refuse' | 'retake';
/** The body of `staff-review-id` without the ID. `fields` contains the corrections. */
export type IdDecision = {
  readonly decision: Decision;
  readonly reason: string | null;
  readonly fields: Readonly<Record<string, string | null>>;
};

/** The highest number of IDs that are read. */
export const IDS_SHOWN = 100;

/** Reads the IDs that await a decision, in the order of the next session. */
export async function readWaitingIds(): Promise<WaitingId[]> {
  const { data, error } = await rest.rpc('waiting_reviews', { ends_after: new Date().toISOString(), most: IDS_SHOWN });
  if (error) throw error;
  return rowsWith(data, 'id', 'created_at', 'source', 'has_picture', 'failure_reasons');
}

/** Reads the picture of an ID as a data URL. The server logs each call. */
export async function readIdPicture(verificationId: string): Promise<string> {
  const bytes = await callFunction('staff-id-picture', { verificationId });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The picture could not be read.')));
    reader.readAsDataURL(bytes.slice(0, bytes.size, 'image/jpeg'));
  });
}

export function reviewId(verificationId: string, decision: IdDecision): Promise<CallAnswer<'staff-review-id'>> {
  return callFunction('staff-review-id', { verificationId, ...decision });
}
