import type { Hono } from 'hono';

/** The outside systems the sandbox stands in for; each listens on the home port plus its offset. */
export type ProviderName = 'stripe' | 'igloohome' | 'plug' | 'vision' | 'mail' | 'oidc' | 'twilio';

/** What every stand-in tells `main`: where it listens, how it is scripted, how it looks on the home page. */
export type Provider = {
  readonly name: ProviderName;
  /** Added to the home port. */
  readonly offset: number;
  /** Answers HTTP on its own port; faults and the request log are put around it. */
  readonly handle?: (request: Request) => Promise<Response> | Response;
  /** For a stand-in that does not speak HTTP and must listen by itself. */
  readonly start?: (port: number, host: string) => Promise<void>;
  /** Pages people look at: logged, but no fault meets them. */
  readonly spared?: (request: Request) => boolean;
  /** What this request hears while the device behind it is offline; null: it does not notice. */
  readonly offline?: (request: Request) => Response | null;
  /** Mounted under `/api` of the home port. */
  readonly control: Hono;
  /** Mounted at the root of the home port. */
  readonly pages?: Hono;
  /** A fragment of HTML for the home page: one `<section>`. */
  readonly panel: () => string;
  /** Forgets everything, as on the first start. */
  readonly reset: () => void;
  /** What the clock does to it: called after every move of the clock and once a second. */
  readonly scheduler?: () => void;
  readonly close?: () => Promise<void>;
};
