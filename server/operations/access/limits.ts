import { regenerateLimits } from '#rules/access.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import type { Code } from './holder.ts';

/** The codes that a holder has had so far. */
type PastCodes = { readonly count: number; readonly newest: Pick<Code, 'createdAt'> | null };

/** The further codes that a holder can make. */
export type FurtherCodes = {
  /** When the next code can be made; null for now. */
  readonly nextCodeAt: Date | null;
  readonly codesLeft: number;
  /** How many codes a holder can make in total. */
  readonly codesPerBooking: number;
};

/** Calculates which further codes a holder can make. */
export function furtherCodes({ locks, clock }: Services, { count, newest }: PastCodes): FurtherCodes {
  const { codesPerBooking, secondsBetweenCodes } = regenerateLimits(locks.capabilities);
  const next = newest === null ? null : new Date(newest.createdAt.getTime() + secondsBetweenCodes * 1000);
  return {
    nextCodeAt: next !== null && next > clock() ? next : null,
    codesLeft: Math.max(0, codesPerBooking - count),
    codesPerBooking,
  };
}

/** Throws `Refusal` if a holder has used up its codes (`code_limit`), or made one too recently (`code_wait`). */
export function requireFurtherCode(services: Services, past: PastCodes): void {
  const { codesLeft, nextCodeAt } = furtherCodes(services, past);
  if (codesLeft === 0) throw codeLimitReached();
  if (nextCodeAt === null) return;
  const seconds = Math.ceil((nextCodeAt.getTime() - services.clock().getTime()) / 1000);
  throw new Refusal('code_wait', `Please wait ${seconds} seconds before making another code.`, { seconds });
}

/** Builds the refusal for a holder that has used up its codes. */
export function codeLimitReached(): Refusal {
  return new Refusal('code_limit', 'No more codes can be made for this session. Please contact us.');
}

/** Rewords a `code_limit` refusal for staff. Returns any other error unchanged. */
export function forStaff(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'code_limit') return error;
  const words =
    'The lock has no codes left for these hours. Existing codes still work, and you can open the door on the Doors tab.';
  return new Refusal('code_limit', words, error.details);
}
