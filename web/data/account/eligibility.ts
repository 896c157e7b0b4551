import { useQuery } from '@tanstack/react-query';
import { rest } from '../rest.ts';
import { useLive } from '../live.ts';
import { readTermsVersion } from '../texts.ts';
import { queryKeys } from '../query-keys.ts';

/** What a customer must have done before paying. */
export type Eligibility = { readonly verified: boolean; readonly termsAccepted: boolean };

/** Reads whether the customer has a verified ID and has accepted the current terms. */
export async function readEligibility(userId: string): Promise<Eligibility> {
  const [verified, terms, version] = await Promise.all([
    rest.from('user_verifications').select('id').eq('user_id', userId).limit(1),
    rest.from('terms_acceptances').select('version').eq('user_id', userId),
    readTermsVersion(),
  ]);
  if (verified.error) throw verified.error;
  if (terms.error) throw terms.error;
  return {
    verified: verified.data.length > 0,
    termsAccepted: terms.data.some((accepted) => accepted.version === version),
  };
}

/** Queries the eligibility of the signed-in customer, and follows it because the ID may be verified on another device. */
export function useEligibility(userId: string | null) {
  useLive(userId === null ? null : `user:${userId}`, queryKeys.eligibility.all);
  return useQuery({
    queryKey: queryKeys.eligibility.of(userId),
    queryFn: () => readEligibility(userId ?? ''),
    enabled: userId !== null,
  });
}
