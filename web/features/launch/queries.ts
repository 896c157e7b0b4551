/** Spec section 8, to the letter. */
export const LAUNCH = {
  done: "Thanks for signing up! We'll notify you when we launch.",
  known: 'This email is already on our list!',
  failed: 'Something went wrong. Please try again.',
} as const;

/** Ends the subscription a mail's link names; also when it had ended before. Throws when it could not be asked. */
export async function leaveList(subscription: string): Promise<void> {
  const { supabase } = await import('#web/data/client.ts');
  const { error } = await supabase.rpc('leave_mailing_list', { subscription });
  if (error) throw error;
}

/** Puts an address on the mailing list; answers what to say. The database trims and lower-cases it. */
export async function joinList(email: string): Promise<{ joined: boolean; text: string }> {
  try {
    // Fetched when somebody asks for it: the page is read by many and signed by few.
    const { supabase } = await import('#web/data/client.ts');
    const { error } = await supabase.from('mailing_list').insert({ email });
    if (error === null) return { joined: true, text: LAUNCH.done };
    return { joined: false, text: error.code === '23505' ? LAUNCH.known : LAUNCH.failed };
  } catch {
    return { joined: false, text: LAUNCH.failed };
  }
}
