import { z } from 'zod';
import { flag, list, text, whole } from './fields.ts';

const functionName = z.string().regex(/^[\w$]+\.[\w$]+$/, 'is not schema.function');
const bytes = whole(10_000, 500_000_000);

/**
 * The environment variables for `/rest/v1`, spread into the schema in config.ts. Their names are PostgREST's where it has the same
 * setting.
 */
export const restFields = {
  PGRST_DB_SCHEMAS: list.pipe(z.array(z.string()).min(1)).default(['public']),
  PGRST_DB_EXTRA_SEARCH_PATH: list.default(['public', 'extensions']),
  PGRST_DB_MAX_ROWS: whole(1, 1_000_000).default(1_000),
  PGRST_DB_AGGREGATES_ENABLED: flag.default(false),
  PGRST_DB_PLAN_ENABLED: flag.default(false),
  PGRST_DB_TX_END: z.enum(['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override']).default('commit'),
  PGRST_DB_PRE_REQUEST: functionName.optional(),
  PGRST_DB_ROOT_SPEC: text.optional(),
  PGRST_OPENAPI_MODE: z.enum(['follow-privileges', 'ignore-privileges', 'disabled']).default('follow-privileges'),
  REST_GUEST_PER_MINUTE: whole(1, 1_000_000).default(600),
  REST_GUEST_MAX_BYTES: bytes.default(2_000_000),
  REST_USER_MAX_BYTES: bytes.default(8_000_000),
  REST_SERVICE_MAX_BYTES: bytes.default(64_000_000),
};
type RestEnvironment = z.output<z.ZodObject<typeof restFields>>;

/**
 * Settings of `/rest/v1`. `guestPerMinute`: maximum number of requests per address without a sign-in. `answerBytes`: size of the largest
 * answer, by kind of caller.
 */
export type RestConfig = Readonly<ReturnType<typeof readRestConfig>>;

export function readRestConfig(env: RestEnvironment) {
  return {
    schemas: env.PGRST_DB_SCHEMAS,
    extraSearchPath: env.PGRST_DB_EXTRA_SEARCH_PATH,
    maxRows: env.PGRST_DB_MAX_ROWS,
    aggregates: env.PGRST_DB_AGGREGATES_ENABLED,
    plans: env.PGRST_DB_PLAN_ENABLED,
    txEnd: env.PGRST_DB_TX_END,
    preRequest: env.PGRST_DB_PRE_REQUEST ?? null,
    rootSpec: env.PGRST_DB_ROOT_SPEC ?? null,
    openapi: env.PGRST_OPENAPI_MODE,
    answerBytes: {
      guest: env.REST_GUEST_MAX_BYTES,
      user: env.REST_USER_MAX_BYTES,
      service: env.REST_SERVICE_MAX_BYTES,
    },
    guestPerMinute: env.REST_GUEST_PER_MINUTE,
  };
}
