import { customerSchema, firstError } from '#rules/people.ts';
import type { CustomerField, CustomerFields, FieldProblem } from './customer-fields.tsx';
import { joinName } from './name.ts';

export type Customer = { readonly fullName: string; readonly email: string; readonly phone: string };
const FIELD_OF: Readonly<Record<string, CustomerField>> = { fullName: 'first', email: 'email', phone: 'phone' };

/** Checks the typed customer, names first, then everything by the schema. Returns the first failing rule otherwise. */
export function checkCustomer(typed: CustomerFields): { customer: Customer } | { problem: FieldProblem } {
  const name = joinName(typed);
  if ('problem' in name) return { problem: { field: name.field, message: name.problem } };
  const parsed = customerSchema.safeParse({ fullName: name.fullName, email: typed.email, phone: typed.phone });
  if (parsed.success) return { customer: parsed.data };
  const field = FIELD_OF[String(parsed.error.issues[0]?.path[0])] ?? 'first';
  return { problem: { field, message: firstError(parsed.error) } };
}
