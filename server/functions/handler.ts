import { z } from 'zod';
import type { Call, CallLimit, Sent } from '#contracts/core/define-call.ts';
import { listRefusals } from '#contracts/core/refusals.ts';
import type { Caller, Log } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { AccessRules, FunctionServices, ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

/** A call as its handler gets it: authorised, counted and parsed. */
type ParsedCall<C extends Call> = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly body: z.output<C['body']>;
  readonly log: Log;
};

/** An answer that is sent with 202: what was asked for is still to come. */
class Accepted<Answer> {
  readonly answer: Answer;
  constructor(answer: Answer) {
    this.answer = answer;
  }
}

export const accepted = <Answer>(answer: Answer): Accepted<Answer> => new Accepted(answer);

/** What a handler returns: the answer, or a response where the contract has files or the caller is led elsewhere. */
type Handled<C extends Call> = Sent<z.input<C['answer']>> | Accepted<Sent<z.input<C['answer']>>> | Response;

/**
 * Makes the function of a contract. `handle` gets the services that the program was composed with, and the parsed call. Outside production the
 * answer and the refusal are compared with the contract: a call whose contract does not describe them fails.
 */
export function defineHandler<C extends Call>(
  contract: C,
  handle: (services: FunctionServices, call: ParsedCall<C>) => Promise<Handled<C>>,
  options: Pick<ServerFunction, 'refuse'> = {},
): (services: FunctionServices) => ServerFunction {
  return (services) => ({
    ...options,
    ...accessRules(contract),
    name: contract.name,
    async handle({ body, checked, ...call }) {
      // The event of a provider is signed as it is, with every character that people have written.
      const texts = contract.callers === 'provider' ? 'any' : 'visible';
      const parsed = { ...call, body: parse<C['body']>(contract.body, body, texts) };
      try {
        const handled = await handle(services, parsed);
        if (checked) checkAnswer(contract, handled);
        return responseTo(handled);
      } catch (error) {
        if (checked && error instanceof Refusal) checkRefusal(contract, error);
        throw error;
      }
    },
  });
}

/** Returns what the router needs to know before it reads a body. */
function accessRules(contract: Call): AccessRules {
  const { name, limit, methods, bodyMax } = contract;
  const named = (one: CallLimit): Limit => ({ name, ...one });
  return {
    methods,
    limit: limit === null ? null : 'max' in limit ? named(limit) : { GET: named(limit.GET), POST: named(limit.POST) },
    ...(bodyMax === undefined ? {} : { bodyMax }),
    ...(contract.callers === 'staff'
      ? { callers: 'staff', permission: contract.permission }
      : { callers: contract.callers }),
  };
}

function responseTo(handled: unknown): Response {
  if (handled instanceof Response) return handled;
  return handled instanceof Accepted ? json(handled.answer, 202) : json(handled);
}

/** Throws when the contract does not describe the answer. */
function checkAnswer({ name, answer, files = [] }: Call, handled: unknown): void {
  if (handled instanceof Response) {
    const type = handled.headers.get('content-type');
    // An answer without content leads elsewhere, or says that the caller has the file already.
    if (type === null || files.includes(type)) return;
    throw new Error(`The contract of ${name} does not list files of the type ${type}.`);
  }
  const sent: unknown = JSON.parse(JSON.stringify(handled instanceof Accepted ? handled.answer : handled));
  const { error } = answer.safeParse(sent);
  if (error) throw new Error(`The answer of ${name} breaks its contract: ${z.prettifyError(error)}`);
}

/** Throws when the contract does not list the refusal. */
function checkRefusal(contract: Call, { code }: Refusal): void {
  if (!listRefusals(contract).includes(code))
    throw new Error(`The contract of ${contract.name} does not list the refusal ${code}.`);
}
