import { useQuery } from '@tanstack/react-query';
import type { BusinessTexts } from '#rules/business/business.ts';
import { useGivenTexts } from '#web/lib/business/business.ts';
import { queryKeys } from './query-keys.ts';
import { rest } from './rest.ts';

/** Queries the texts of the terms and privacy pages: those that came with the page, or otherwise the current ones. */
export function useTexts() {
  const given = useGivenTexts();
  return useQuery({
    queryKey: queryKeys.texts.of(),
    queryFn: readTexts,
    ...(given === null ? {} : { initialData: given, staleTime: Number.POSITIVE_INFINITY }),
  });
}

async function readTexts(): Promise<BusinessTexts> {
  const { data, error } = await rest.rpc('site_texts');
  if (error) throw error;
  // Cast: the database checks the shape of every text that is stored.
  return data as unknown as BusinessTexts;
}

/** Reads the current version of the terms, because the page may have been open for a long time. */
export async function readTermsVersion(): Promise<string> {
  const { data, error } = await rest.rpc('site_settings');
  if (error) throw error;
  // Cast: every stored row of settings has a version.
  return (data as { termsVersion: string }).termsVersion;
}
