import { openPostgres } from './server/db/open.ts';
import { readMigrations } from './server/db/migrate.ts';
const db = await openPostgres('postgres://postgres@localhost:5499/two', { migrations: await readMigrations('database/migrations'), say: console.log, warn: console.log, poolSize: 4 });
const p = { role: 'authenticated', claims: JSON.stringify({ sub: '5a000000-0000-4000-8000-00000000000a', role: 'authenticated' }) };
for (const rollback of [true, false, true]) {
  const r = await Promise.race([db.as(p, "insert into storage.objects (bucket_id, name, storage_key, content_type, size, etag) values ($1, $2, $3, $4, $5::bigint, $6) returning id, name", ['id-verifications', '5a000000-0000-4000-8000-00000000000a/x'+Math.random(), 'objects/x'+Math.random(), 'image/jpeg', 3, 'a'], { rollback }).catch((e) => e.message), new Promise((x) => setTimeout(() => x('HANG'), 4000))]);
  console.log(rollback, r);
}
process.exit(0);
