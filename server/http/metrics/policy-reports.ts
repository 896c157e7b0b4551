import { Hono } from 'hono';
import { z } from 'zod';
import { BodyRefused, readBytes } from '../bodies/bodies.ts';
import { JsonRefused, parseJson } from '../bodies/json.ts';
import type { Env } from '../caller.ts';
import { POLICY_REPORTS_PATH } from '../headers.ts';
import type { Limit } from '../limits.ts';
import type { Metrics } from './metrics.ts';

export const POLICY_REPORTS: Limit = { name: 'policy-reports', max: 20, seconds: 60 };

const BODY_MAX = 16 * 1024;
const JSON_LIMITS = { members: 500, depth: 5 };
/** Maximum number of reports that are read per call. Browsers send the others with a later page. */
const REPORTS_MAX = 20;

const DIRECTIVES = new Set(
  'base-uri connect-src default-src font-src form-action frame-ancestors frame-src img-src manifest-src media-src object-src require-trusted-types-for script-src script-src-attr script-src-elem style-src style-src-attr style-src-elem trusted-types upgrade-insecure-requests worker-src'.split(
    ' ',
  ),
);
/** Values that a browser reports as blocked instead of an address. */
const KEYWORDS = new Set(['inline', 'eval', 'wasm-eval', 'self', 'trusted-types-policy', 'trusted-types-sink']);

const text = z.string().max(8_192);
const position = z.number().int().min(0).max(10_000_000).optional();
/** The format of `report-uri` (Content Security Policy Level 3, section 5.3). Unknown members are dropped. */
const single = z.object({
  'csp-report': z
    .object({
      'effective-directive': text.optional(),
      'violated-directive': text.optional(),
      'blocked-uri': text.optional(),
      'document-uri': text,
      'source-file': text.optional(),
      'line-number': position,
    })
    .transform((report) => ({
      directive: report['effective-directive'] ?? report['violated-directive'] ?? '',
      blocked: report['blocked-uri'] ?? '',
      page: report['document-uri'],
      source: report['source-file'] ?? '',
      line: report['line-number'],
    })),
});
/** The format of `report-to`: the Reporting API. */
const several = z
  .array(
    z.object({
      type: z.literal('csp-violation'),
      body: z
        .object({
          effectiveDirective: text,
          blockedURL: text.nullish(),
          documentURL: text,
          sourceFile: text.nullish(),
          lineNumber: position.nullable(),
        })
        .transform((body) => ({
          directive: body.effectiveDirective,
          blocked: body.blockedURL ?? '',
          page: body.documentURL,
          source: body.sourceFile ?? '',
          line: body.lineNumber ?? undefined,
        })),
    }),
  )
  .min(1)
  .max(REPORTS_MAX);
const reports = z.union([
  single.transform((report) => [report['csp-report']]),
  several.transform((list) => list.map(({ body }) => body)),
]);
type Report = z.output<typeof reports>[number];

/**
 * Receives the reports of browsers. Anyone can send them, so each call writes at most one log line, which contains words of a fixed list,
 * origins and names of our own files, but never a query or the secret part of an address. `admit` returns null, or the seconds to wait.
 */
export function createPolicyReports(dependencies: {
  admit: (address: string) => Promise<number | null>;
  metrics: Pick<Metrics, 'totals'>;
}): Hono<Env> {
  const counts = new Map([...DIRECTIVES, 'other'].map((name) => [name, 0]));
  dependencies.metrics.totals(
    'policy_reports_total',
    'Reports of browsers that the content security policy blocked a part of a page',
    'directive',
    () => Object.fromEntries(counts),
  );
  const router = new Hono<Env>();
  router.post(POLICY_REPORTS_PATH, async (c) => {
    const wait = await dependencies.admit(c.var.ip);
    if (wait !== null) return c.body(null, 429, { 'retry-after': String(wait) });
    const list = await readReports(c.req.raw);
    if (typeof list === 'number') return c.body(null, list);
    for (const { directive } of list) {
      const name = toDirective(directive);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const [first] = list;
    if (first)
      c.var.log.info(
        { ...toLogLine(first), reports: list.length },
        'the content security policy blocked a part of a page',
      );
    return c.body(null, 204);
  });
  return router;
}

/** Returns the reports of a request, or the status that refuses it. */
async function readReports(request: Request): Promise<readonly Report[] | 400 | 408 | 413 | 415 | 429 | 503> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:csp-report|reports\+json|json)\s*(?:;|$)/i.test(type)) return 415;
  try {
    const read = reports.safeParse(parseJson(await readBytes(request, BODY_MAX), JSON_LIMITS));
    return read.success ? read.data : 400;
  } catch (error) {
    if (error instanceof BodyRefused) return error.status;
    if (error instanceof JsonRefused || error instanceof SyntaxError) return 400;
    throw error;
  }
}

const toDirective = (text: string): string => {
  const [name = ''] = text.split(' ', 1);
  return DIRECTIVES.has(name) ? name : 'other';
};

function toLogLine({ directive, blocked, page, source, line }: Report): Record<string, string | number> {
  return {
    directive: toDirective(directive),
    blocked: KEYWORDS.has(blocked) ? blocked : toOrigin(blocked),
    page: toPage(page),
    source: toFile(source),
    ...(line === undefined ? {} : { line }),
  };
}

const ORIGIN_MAX = 100;

/** Returns the origin of a web address, or the scheme of any other address, such as `data:` or a browser extension's. */
function toOrigin(address: string): string {
  const url = URL.parse(address);
  if (url === null) return 'other';
  return (/^(?:https?|wss?):$/.test(url.protocol) ? url.origin : url.protocol).slice(0, ORIGIN_MAX);
}

/** Returns the first part of the path. The rest can be the secret of a link. */
function toPage(address: string): string {
  const [, first = ''] = (URL.parse(address)?.pathname ?? '').split('/', 2);
  return /^[a-z-]{0,30}$/.test(first) ? `/${first}` : 'other';
}

/** Returns the name of a script of our build, or the origin of any other script. */
function toFile(address: string): string {
  const file = /^\/assets\/([\w.-]{1,80})$/.exec(URL.parse(address)?.pathname ?? '')?.[1];
  return file ?? toOrigin(address);
}
