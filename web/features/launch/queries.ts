/** Texts fixed by the specification: do not change. */
export const LAUNCH = {
  done: "Thanks for signing up! We'll notify you when we launch.",
  known: 'This email is already on our list!',
  failed: 'Something went wrong. Please try again.',
} as const;

/** Ends the subscription named in a mail's link; succeeds also when it had already ended. Throws when the call fails. */
export async function leaveList(subscription: string): Promise<void> {
  const { supabase } = await import('#web/data/client.ts');
  const { error } = await supabase.rpc('leave_mailing_list', { subscription });
  if (error) throw error;
}

/** Adds an address to the mailing list and returns what to say. The database trims and lower-cases it. */
export async function joinList(email: string): Promise<{ joined: boolean; text: string }> {
  try {
    // Fetched on demand: most visitors never submit the form.
    const { supabase } = await import('#web/data/client.ts');
    const { error } = await supabase.from('mailing_list').insert({ email });
    if (error === null) return { joined: true, text: LAUNCH.done };
    return { joined: false, text: error.code === '23505' ? LAUNCH.known : LAUNCH.failed };
  } catch {
    return { joined: false, text: LAUNCH.failed };
  }
}
