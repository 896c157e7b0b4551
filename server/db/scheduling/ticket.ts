import { currentCaller } from '../request-scope.ts';
import type { WorkClass } from '../work-class.ts';

/**
 * A place in the queue. Callers of one class take turns. `caller`: identifies the person or server that the work is for, as in
 * `Principal.caller`. `text`: the statement without its values, if there is a single one.
 */
export type Ticket = { readonly workClass: WorkClass; readonly caller: string; readonly text?: string };

/**
 * Returns the ticket of a statement that the server runs as itself. It queues with the caller whose request it belongs to, so that a caller
 * waits behind its own statements and not behind those of all callers in its class. `workClass` null: the server's own work, which
 * shares one place.
 */
export function serverTicket(workClass: WorkClass | null, text?: string): Ticket {
  const caller = workClass === null || workClass === 'server' ? 'server' : (currentCaller() ?? workClass);
  return { workClass: workClass ?? 'server', caller, ...(text === undefined ? {} : { text }) };
}
