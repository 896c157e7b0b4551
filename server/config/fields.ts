import { z } from 'zod';

/** Kinds of values that several environment variables have. */

export const flag = z.enum(['true', 'false'], 'is true or false').transform((word) => word === 'true');
/** Parts separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** An http(s) address, without slashes at its end. */
export const address = z
  .url({ protocol: /^https?$/, error: 'is not an address with http:// or https://' })
  .transform((url) => url.replace(/\/+$/, ''));
export const text = z.string().min(1);
export const whole = (min: number, max: number) => {
  const fault = `is not a whole number from ${min} to ${max}`;
  return z.coerce.number(fault).int(fault).min(min, fault).max(max, fault);
};

/** Whether an address leads to this machine. */
export const isLoopback = (url: string): boolean => /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);

/** Where the sandbox listens: returns the address of the service at this offset from SANDBOX_PORT. */
export type SandboxAddress = (offset: number) => string;
