import { z } from 'zod';
import { customerSchema, firstError } from '#rules/people.ts';
import { joinName } from './name.ts';

/** The fields for the customer. `oneName`: the person has a single name. */
const typedCustomerSchema = z.object({
  first: z.string(),
  last: z.string(),
  oneName: z.boolean(),
  email: z.string(),
  phone: z.string(),
});
export type CustomerFields = z.infer<typeof typedCustomerSchema>;
/** The customer in the format of `create-payment`. Every member is sent in its body. */
export type Customer = {
  readonly customerName: string;
  readonly customerEmail: string;
  readonly customerPhone: string;
};
/** The first failing rule and its field. */
type FieldProblem = { readonly field: keyof CustomerFields; readonly message: string };

export const NO_CUSTOMER: CustomerFields = { first: '', last: '', oneName: false, email: '', phone: '' };

/** The schema of the customer form, which `checkCustomer` checks. */
export const customerFormSchema = typedCustomerSchema.transform((typed, context): Customer => {
  const checked = checkCustomer(typed);
  if ('customer' in checked) return checked.customer;
  context.addIssue({ code: 'custom', path: [checked.problem.field], message: checked.problem.message });
  return z.NEVER;
});

const FIELD_OF: Readonly<Record<string, keyof CustomerFields>> = { fullName: 'first', email: 'email', phone: 'phone' };

/** Checks the typed customer: names first, then everything else by the schema. Returns the customer, or the first failing rule. */
export function checkCustomer(typed: CustomerFields): { customer: Customer } | { problem: FieldProblem } {
  const name = joinName(typed);
  if ('problem' in name) return { problem: { field: name.field, message: name.problem } };
  const parsed = customerSchema.safeParse({ fullName: name.fullName, email: typed.email, phone: typed.phone });
  if (parsed.success) {
    const { fullName, email, phone } = parsed.data;
    return { customer: { customerName: fullName, customerEmail: email, customerPhone: phone } };
  }
  const field = FIELD_OF[String(parsed.error.issues[0]?.path[0])] ?? 'first';
  return { problem: { field, message: firstError(parsed.error) } };
}
