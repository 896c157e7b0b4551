import type { ObjectStore } from './ports.ts';
export function createS3Store(_config: unknown, _spool: string): ObjectStore {
  throw new Error('x');
}
