import type { Power } from '#server/providers/ports.ts';

/** The plugs by the names that rooms use. The name '' is the plug for rooms that name none. */
export type Plugs = ReadonlyMap<string, Power>;

/** The plug for rooms that name none. */
export const SHARED_PLUG = '';
