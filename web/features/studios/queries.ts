import { useQuery } from '@tanstack/react-query';
import { supabase } from '#web/data/client.ts';
import { queryKeys } from '#web/data/query-keys.ts';

export type Studio = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly hourly_rate: number;
};
async function readStudios(): Promise<Studio[]> {
  const { data, error } = await supabase.from('studios').select('*').order('name');
  if (error) throw error;
  return data;
}

/** Queries the studios, by name. */
export function useStudios() {
  return useQuery({ queryKey: queryKeys.studios.of(), queryFn: readStudios, staleTime: 300_000 });
}
