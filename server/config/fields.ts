import { z } from 'zod';

/** Schemas of values that several environment variables share. */

export const flag = z.enum(['true', 'false'], 'is true or false').transform((word) => word === 'true');
/** A list whose parts are separated by commas. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** An http(s) address. Slashes at its end are removed. */
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

/** Returns the address of the sandbox service at this offset from SANDBOX_PORT. */
export type SandboxAddress = (offset: number) => string;
