import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { sendOtp } from './otp.ts';
import { reauthenticate } from './reauthenticate.ts';
import { recover } from './recover.ts';
import { resend } from './resend.ts';
import { openVerifyLink } from './verify-link.ts';
import { verify } from './verify.ts';

/** Adds the routes that send codes and links, and those that accept them. */
export function addVerifyRoutes(router: Hono<Env>, context: AuthContext): void {
  router.post('/otp', (c) => sendOtp(context, c));
  router.post('/magiclink', (c) => sendOtp(context, c));
  router.post('/resend', (c) => resend(context, c));
  router.post('/recover', (c) => recover(context, c));
  router.get('/reauthenticate', (c) => reauthenticate(context, c));
  router.post('/verify', (c) => verify(context, c));
  router.get('/verify', (c) => openVerifyLink(context, c));
}
