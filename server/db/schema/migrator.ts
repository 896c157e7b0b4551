/** The operations that migrating needs from an engine: both run a script of many statements as the migrating role. */
export type Migrator = {
  script(sql: string): Promise<void>;
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
};
