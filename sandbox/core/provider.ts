import type { Hono } from 'hono';

/** The outside systems that the sandbox simulates. Each listens on the home port plus its offset. */
export type ProviderName = 'stripe' | 'igloohome' | 'plug' | 'vision' | 'mail' | 'oidc' | 'twilio';

/** One simulated provider: its port, its control API for tests, and its part of the home page. */
export type Provider = {
  readonly name: ProviderName;
  /** The number that is added to the home port. */
  readonly offset: number;
  /** Answers HTTP on its own port; faults and the request log wrap it. */
  readonly handle?: (request: Request) => Promise<Response> | Response;
  /** Opens the listener of a provider that does not speak HTTP. */
  readonly start?: (port: number, host: string) => Promise<void>;
  /** Matches requests for pages that people open. They are logged, but faults do not apply to them. */
  readonly isPage?: (request: Request) => boolean;
  /** Answers a request while the device is offline. Returns null if the request does not need the device. */
  readonly offline?: (request: Request) => Response | null;
  /** The control API, mounted under `/api` of the home port. */
  readonly control: Hono;
  /** Pages that are mounted at the root of the home port. */
  readonly pages?: Hono;
  /** Returns the HTML for the home page: one `<section>`. */
  readonly panel: () => string;
  /** Returns to the state of the first start. */
  readonly reset: () => void;
  /** Runs due work. It is called after each move of the clock and once a second. */
  readonly runDue?: () => void;
  readonly close?: () => Promise<void>;
};
