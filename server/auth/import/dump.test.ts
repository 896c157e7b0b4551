import { expect, test } from 'vitest';
import { DumpRefused, readDump } from './dump.ts';

test('rows of a COPY are read with escapes and nulls, and other tables are skipped', () => {
  const dump = String.raw`--
COPY public.things (id, name) FROM stdin;
1	x
\.

COPY auth.users (instance_id, id, email, raw_user_meta_data) FROM stdin;
\N	a	one@example.com	{"a": "tab\\t, line\\n, back\\\\slash"}
\N	b	\N	{}
\.
`;
  expect(readDump(dump, 'auth', 'users')).toEqual([
    {
      instance_id: null,
      id: 'a',
      email: 'one@example.com',
      raw_user_meta_data: String.raw`{"a": "tab\t, line\n, back\\slash"}`,
    },
    { instance_id: null, id: 'b', email: null, raw_user_meta_data: '{}' },
  ]);
});

test('rows of an INSERT are read: quotes, escapes, numbers, casts, several statements', () => {
  const dump = String.raw`SET session_replication_role = replica;
INSERT INTO "auth"."users" ("id", "email", "data", "n", "ok") VALUES
	('a', 'o''neil@example.com', '{"x": "(1, 2); ''y''"}', 1.5, true),
	('b', NULL, E'line\nbreak'::text, -2, false);
INSERT INTO "auth"."identities" ("id") VALUES ('i');
INSERT INTO auth.users (id) VALUES ('c') ON CONFLICT DO NOTHING;
`;
  expect(readDump(dump, 'auth', 'users')).toEqual([
    { id: 'a', email: "o'neil@example.com", data: `{"x": "(1, 2); 'y'"}`, n: '1.5', ok: 'true' },
    { id: 'b', email: null, data: 'line\nbreak', n: '-2', ok: 'false' },
    { id: 'c' },
  ]);
  expect(readDump(dump, 'auth', 'identities')).toEqual([{ id: 'i' }]);
});

test.each([
  'COPY auth.users (id) FROM stdin;\na\n',
  'COPY auth.users (id, email) FROM stdin;\na\n\\.\n',
  "INSERT INTO auth.users (id) VALUES ('a",
  'INSERT INTO auth.users (id) VALUES (now());',
])('a truncated dump or an expression as value is refused: %j', (dump) => {
  expect(() => readDump(dump, 'auth', 'users')).toThrow(DumpRefused);
});
