import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { beginUndo, challengeUndo } from './begin-undo.ts';
import { completeUndo } from './complete-undo.ts';

/** Adds the routes that undo a change of address. They need no session, because the mailed link proves the address. */
export function addUndoRoutes(router: Hono<Env>, context: AuthContext): void {
  router.post('/email-undo', (c) => beginUndo(context, c));
  router.post('/email-undo/challenge', (c) => challengeUndo(context, c));
  router.post('/email-undo/complete', (c) => completeUndo(context, c));
}
