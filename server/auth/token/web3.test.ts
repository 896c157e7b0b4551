import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints the modules of @noble/curves that the server loads at start. */
const PRINT_LOADED = `
import { registerHooks } from 'node:module';
const resolve = (name, context, next) => {
  if (name.startsWith('@noble/curves')) console.log(name);
  return next(name, context);
};
registerHooks({ resolve });
await import(${JSON.stringify(new URL('../../compose.ts', import.meta.url).href)});
`;

test('the elliptic curves are not loaded at start', { timeout: 30_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PRINT_LOADED]);
  expect(stdout).toBe('');
});
