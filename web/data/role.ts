import { z } from 'zod';
import { PERMISSIONS } from '#rules/permissions.ts';
import { rest } from './rest.ts';

export type Role = 'admin' | 'user';

/** Reads an account's role; 'user' when there is no row or the call fails. The server checks again at every call. */
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
 * Reads which permissions need two-step sign-in, whether this session has made both steps, and until when the account, which has no second step yet, can go
 * on without one (`due`; null: there is no such time); for staff.
 */
export async function readFactorRules(): Promise<z.infer<typeof factorRulesSchema>> {
  const { data, error } = await rest.rpc('second_factor_rules');
  if (error) throw error;
  return factorRulesSchema.parse(data);
}
