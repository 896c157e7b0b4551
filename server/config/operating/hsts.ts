import type { z } from 'zod';
import { flag, whole } from '../fields.ts';

/** The environment variables for HSTS, spread into the schema in config.ts. */
export const hstsFields = {
  HSTS_SECONDS: whole(0, 100_000_000).default(63_072_000),
  HSTS_SUBDOMAINS: flag.default(false),
  HSTS_PRELOAD: flag.default(false),
};
type HstsEnvironment = z.output<z.ZodObject<typeof hstsFields>>;
const YEAR_S = 31_536_000;

/** How long browsers insist on https for this host, and whether this covers its subdomains and the browsers' preload lists. */
export type HstsConfig = { readonly seconds: number; readonly subdomains: boolean; readonly preload: boolean };

export const readHstsConfig = (env: HstsEnvironment): HstsConfig => ({
  seconds: env.HSTS_SECONDS,
  subdomains: env.HSTS_SUBDOMAINS,
  preload: env.HSTS_PRELOAD,
});

/** Checks the requirements for the browsers' preload list (hstspreload.org). */
export function hstsFaults(env: HstsEnvironment): string[] {
  if (!env.HSTS_PRELOAD || (env.HSTS_SUBDOMAINS && env.HSTS_SECONDS >= YEAR_S)) return [];
  return [`HSTS_PRELOAD: needs HSTS_SUBDOMAINS=true and HSTS_SECONDS of at least ${YEAR_S}`];
}
