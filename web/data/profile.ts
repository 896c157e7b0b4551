import { useQuery } from '@tanstack/react-query';
import { rest } from './rest.ts';
import { queryKeys } from './query-keys.ts';

/** The profile of an account. A field is null if nothing was entered. */
export type Profile = Awaited<ReturnType<typeof readProfile>>;

export async function readProfile(userId: string) {
  const { data, error } = await rest
    .from('profiles')
    .select('full_name,email,phone,address,dj_name,date_of_birth')
    .eq('user_id', userId)
    .single();
  if (error) throw error;
  return data;
}

export async function saveName(userId: string, fullName: string): Promise<void> {
  const { error } = await rest.from('profiles').update({ full_name: fullName }).eq('user_id', userId);
  if (error) throw error;
}

/** Queries the profile. It is not read again when the window gets the focus, because forms start from it. */
export function useProfile(userId: string) {
  return useQuery({
    queryKey: queryKeys.profile.of(userId),
    queryFn: () => readProfile(userId),
    refetchOnWindowFocus: false,
  });
}
