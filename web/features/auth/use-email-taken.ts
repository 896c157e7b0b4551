import { useQuery } from '@tanstack/react-query';
import { emailSchema } from '#rules/people.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSettled } from '#web/lib/use-settled.ts';
import { emailTaken } from './queries.ts';

/** Debounce: how long typing must pause before the check. */
const DEBOUNCE_MS = 500;

/** Whether the typed address already has an account. False while that is unknown. */
export function useEmailTaken(typed: string): boolean {
  const parsed = emailSchema.safeParse(typed);
  const email = parsed.success ? parsed.data : '';
  const checked = useSettled(email, DEBOUNCE_MS) ?? '';
  const answer = useQuery({
    queryKey: queryKeys.emailTaken.of(checked),
    queryFn: ({ signal }) => emailTaken(checked, signal),
    enabled: checked !== '',
    refetchOnWindowFocus: false,
    // An address is checked again each time it is typed.
    gcTime: 0,
  });
  return checked !== '' && checked === email && answer.data === true;
}
