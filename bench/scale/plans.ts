import type pg from 'pg';
import type { ProductQuery } from '#tests/scale/product-queries.ts';
import type { CallerRequest } from '../callers/connection.ts';

/**
 * Returns the scans of a query's plan. The API returns the plan of a read, and `auto_explain` logs those of statements inside a function.
 */
export async function readScans(
  url: string,
  client: pg.Client,
  { body, path }: ProductQuery,
  { headers }: CallerRequest,
  staffId: string,
): Promise<string[]> {
  if (!body) {
    const answer = await fetch(`${url}/rest/v1/${path}`, {
      headers: { ...headers, accept: 'application/vnd.pgrst.plan+text' },
    });
    return scans(await answer.text());
  }
  const notices: string[] = [];
  const listen = (notice: { message?: string | undefined }): void => void notices.push(notice.message ?? '');
  client.on('notice', listen);
  await client.query(`load 'auto_explain'`);
  await client.query(
    `select set_config('auto_explain.log_min_duration', '0', false), set_config('auto_explain.log_nested_statements', 'on', false), set_config('client_min_messages', 'log', false), set_config('request.jwt.claims', $1, false)`,
    [JSON.stringify({ role: 'authenticated', sub: staffId })],
  );
  const name = path.replace('rpc/', '').replace(/\?.*/, '');
  const parameters = Object.keys(body).map((key, index) => `${key} => $${index + 1}`);
  await client.query(`select count(*) from public.${name}(${parameters.join(', ')})`, Object.values(body));
  await client.query(`set auto_explain.log_min_duration = -1`);
  client.off('notice', listen);
  return scans(notices.join('\n'));
}

/** Returns the lines of a plan that read a table, without costs and duplicates. */
function scans(plan: string): string[] {
  const lines = plan
    .split('\n')
    .filter((line) => /Scan/.test(line) && !/Function Scan|CTE Scan|Subquery Scan/.test(line));
  return [
    ...new Set(
      lines.map((line) =>
        line
          .replace(/^[\s>-]+/, '')
          .replace(/\s+\(cost.*/, '')
          .trim(),
      ),
    ),
  ];
}
