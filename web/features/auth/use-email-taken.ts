import { useEffect, useState } from 'react';
import { emailSchema } from '#rules/people.ts';
import { emailTaken } from './queries.ts';

/** Debounce: how long typing must pause before the check. */
const DEBOUNCE_MS = 500;

/** Whether the typed address already has an account; false while unknown. */
export function useEmailTaken(typed: string): boolean {
  const [answer, setAnswer] = useState({ email: '', taken: false });
  const parsed = emailSchema.safeParse(typed);
  const email = parsed.success ? parsed.data : '';

  useEffect(() => {
    if (email === '') return;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      const taken = await emailTaken(email, abort.signal);
      if (!abort.signal.aborted) setAnswer({ email, taken: taken === true });
    };
    const timer = setTimeout(() => void ask(), DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [email]);

  return email !== '' && answer.email === email && answer.taken;
}
