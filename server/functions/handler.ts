import { z } from 'zod';
import type { Call, CallLimit, Sent } from '#contracts/core/define-call.ts';
import { listRefusals } from '#contracts/core/refusals.ts';
import type { Caller, Log } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { AccessRules, FunctionServices, ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

/** A call as passed to its handler: authorised, counted and parsed. */
type ParsedCall<C extends Call> = {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly body: z.output<C['body']>;
  readonly log: Log;
};

/** An answer that is sent with status 202, because the requested work is still to be done. */
class Accepted<Answer> {
  readonly answer: Answer;
  constructor(answer: Answer) {
    this.answer = answer;
  }
}

export const accepted = <Answer>(answer: Answer): Accepted<Answer> => new Accepted(answer);

/** What a handler returns: the answer, or a response if the contract has files or the caller is redirected. */
type Handled<C extends Call> = Sent<z.input<C['answer']>> | Accepted<Sent<z.input<C['answer']>>> | Response;

/**
 * Creates the function of a contract. `handle` gets the services of the program and the parsed call. Outside production, answers and
 * refusals are checked against the contract, and a call fails if the contract does not describe them.
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
      // A provider signs its event as sent, so all characters in it are accepted, including those that are invisible.
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

/** Returns the rules that the router needs before it reads a body. */
function accessRules(contract: Call): AccessRules {
  const { name, limit, methods, bodyMax } = contract;
  const named = (callLimit: CallLimit): Limit => ({ name, ...callLimit });
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

/** Throws if the contract does not describe the answer. */
function checkAnswer({ name, answer, files = [] }: Call, handled: unknown): void {
  if (handled instanceof Response) {
    const type = handled.headers.get('content-type');
    // An answer without content is a redirect, or tells the caller that its copy of the file is current.
    if (type === null || files.includes(type)) return;
    throw new Error(`The contract of ${name} does not list files of the type ${type}.`);
  }
  const sent: unknown = JSON.parse(JSON.stringify(handled instanceof Accepted ? handled.answer : handled));
  const { error } = answer.safeParse(sent);
  if (error) throw new Error(`The answer of ${name} breaks its contract: ${z.prettifyError(error)}`);
}

/** Throws if the contract does not list the refusal. */
function checkRefusal(contract: Call, { code }: Refusal): void {
  if (!listRefusals(contract).includes(code))
    throw new Error(`The contract of ${contract.name} does not list the refusal ${code}.`);
}
