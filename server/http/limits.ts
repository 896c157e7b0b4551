/** One rate limit: at most `max` in `seconds`, counted by key in the database, so it is exact across processes and restarts (promises G28). */
export type Limit = { readonly name: string; readonly max: number; readonly seconds: number };

/** Takes one unit; answers null when admitted, else the whole seconds until the next unit. `key` is e.g. `ip:203.0.113.7` or `user:<id>`. */
export type TakeLimit = (limit: Limit, key: string) => Promise<number | null>;
