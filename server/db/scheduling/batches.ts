import { DatabaseError, type Result } from '../database.ts';
import type { PipelineRun, Statement } from '../pipeline.ts';
import type { Estimates } from './estimates.ts';

/** Sends pipelines one after the other, each as its own transaction. Throws if none was sent or the connection was lost. */
export type Send = (runs: readonly PipelineRun[]) => Promise<void>;

/** A caller's transaction. Its last statement is the caller's own; the statements before it set the role and claims. */
export type CallerTransaction = {
  readonly statements: readonly Statement[];
  /** Called before the transaction is sent. */
  readonly started: (() => void) | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/** Returns the text of the caller's own statement. */
export const ownText = (statements: readonly Statement[]): string => statements.at(-1)?.text ?? '';

/**
 * Sends transactions in one write and settles each with its own outcome: the result of its last statement, or its error. An error of `send`
 * rejects all that have no outcome yet.
 */
export async function sendBatch(
  batch: readonly CallerTransaction[],
  send: Send,
  { estimates, now }: { readonly estimates: Estimates; readonly now: () => number },
): Promise<void> {
  const began = now();
  let previous = began;
  for (const { started } of batch) started?.();
  const runs = batch.map(({ statements, resolve, reject }, index): PipelineRun => {
    const text = ownText(statements);
    return {
      statements,
      done(outcome) {
        const end = now();
        estimates.addStatement(text, end - previous, index === 0);
        previous = end;
        if (outcome instanceof DatabaseError) reject(outcome);
        else resolve(outcome.at(-1) ?? { rows: [], count: 0 });
      },
    };
  });
  try {
    await send(runs);
  } catch (error) {
    // One of the statements may have taken so long that the engine was terminated, so for a while none of them counts as brief.
    for (const { statements, reject } of batch) {
      estimates.addStatement(ownText(statements), now() - began, true);
      reject(error);
    }
  }
}
