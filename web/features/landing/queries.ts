import { errorCode } from '#web/lib/errors.ts';

/** Texts fixed by the specification: do not change. */
export const LAUNCH = {
  done: "Thanks for signing up! We'll notify you when we launch.",
  known: 'This email is already on our list!',
  failed: 'Something went wrong. Please try again.',
} as const;
/** The message that replaces `LAUNCH.done` once the business is open. */
export const NEWS_DONE = 'Thanks for signing up! We’ll write when there’s news.';

/** Ends the subscription named in a mail's link. Idempotent. Throws if the call fails. */
export async function leaveList(subscription: string): Promise<void> {
  const { rest } = await import('#web/data/rest.ts');
  const { error } = await rest.rpc('leave_mailing_list', { subscription });
  if (error) throw error;
}

/** Adds an address to the mailing list. Throws if the call fails, with the code `23505` for an address that is already on the list. */
export async function joinList(email: string): Promise<void> {
  // Fetched on demand: most visitors never submit the form.
  const { rest } = await import('#web/data/rest.ts');
  const { error } = await rest.from('mailing_list').insert({ email });
  if (error) throw error;
}

/** Describes why an address could not be added. */
export function describeJoin(error: unknown): string {
  return errorCode(error) === '23505' ? LAUNCH.known : LAUNCH.failed;
}
