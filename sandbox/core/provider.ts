import type { Hono } from 'hono';

/** The outside systems that the sandbox simulates; each listens on the home port plus its offset. */
export type ProviderName = 'stripe' | 'igloohome' | 'plug' | 'vision' | 'mail' | 'oidc' | 'twilio';

/** One simulated provider: where it listens, how tests control it, what it shows on the home page. */
export type Provider = {
  readonly name: ProviderName;
  /** Added to the home port. */
  readonly offset: number;
  /** Answers HTTP on its own port; faults and the request log wrap it. */
  readonly handle?: (request: Request) => Promise<Response> | Response;
  /** For a provider that does not speak HTTP and opens its own listener. */
  readonly start?: (port: number, host: string) => Promise<void>;
  /** Matches pages for people: they are logged, but faults do not apply to them. */
  readonly isPage?: (request: Request) => boolean;
  /** Answers a request while the device is offline; null when the request does not need the device. */
  readonly offline?: (request: Request) => Response | null;
  /** Mounted under `/api` of the home port. */
  readonly control: Hono;
  /** Mounted at the root of the home port. */
  readonly pages?: Hono;
  /** HTML for the home page: one `<section>`. */
  readonly panel: () => string;
  /** Returns to the state of the first start. */
  readonly reset: () => void;
  /** Runs what is due: called after each move of the clock and once a second. */
  readonly runDue?: () => void;
  readonly close?: () => Promise<void>;
};
