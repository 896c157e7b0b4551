import type * as calls from './calls.ts';
import type { RefusalsByCallers } from './core/refusals.ts';

/** Every contract except those that providers call, whose bodies are signed texts. */
type Contract = Exclude<(typeof calls)[keyof typeof calls], { readonly callers: 'provider' }>;

/** The name of a function: the last segment of its URL. */
export type CallName = Contract['name'];

/** The contract of a function. */
export type ContractFor<Name extends CallName> = Extract<Contract, { readonly name: Name }>;

/** Every code with which a function can be refused. For several names, the codes of all of them. */
export type CallRefusal<Name extends CallName> = Name extends CallName ? RefusalsIn<ContractFor<Name>> : never;

type RefusalsIn<One extends Contract> = keyof One['refusals'] | RefusalsByCallers[One['callers']];
