import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import { rest } from './rest.ts';

export type Role = 'admin' | 'user';

/** Reads an account's role. Returns 'user' if there is no row or the call fails. The server checks the role again at every call. */
export async function readRole(userId: string): Promise<Role> {
  const { data, error } = await rest.from('user_roles').select('role').eq('user_id', userId).maybeSingle();
  return error === null && data?.role === 'admin' ? 'admin' : 'user';
}

const factorRulesSchema = z.object({
  permissions: z.array(z.enum(PERMISSIONS)),
  shown: z.boolean(),
  due: z.coerce.date().nullable(),
});

/**
 * Reads the rules of two-step sign-in for staff: which permissions require it, whether this session has completed both steps, and until
 * when an account without a second step can continue (`due`; null if there is no such date).
 */
export async function readFactorRules(): Promise<z.infer<typeof factorRulesSchema>> {
  const { data, error } = await rest.rpc('second_factor_rules');
  if (error) throw error;
  return factorRulesSchema.parse(data);
}
