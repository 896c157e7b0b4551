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

test('an INSERT may have any blanks, casts of other schemas, and NULL in any case', () => {
  const dump = String.raw`insert  into auth.users(id,email,data)  overriding system value  values('a' , null , E'\b\f\n\r\t\v\x\'' )  ,  ('b','c'::"text",e'd')  ;
INSERT INTO auth.users (id) VALUES ('e'::public.citext),
  (2.5::numeric);`;
  expect(readDump(dump, 'auth', 'users')).toEqual([
    { id: 'a', email: null, data: "\b\f\n\r\t\vx'" },
    { id: 'b', email: 'c', data: 'd' },
    { id: 'e' },
    { id: '2.5' },
  ]);
});

test('a COPY and an INSERT of one table are read in their order, and a COPY may have lines of Windows', () => {
  const dump = [
    "INSERT INTO auth.users (id) VALUES ('a');",
    'COPY "auth"."users" ("id", "email") FROM stdin; ',
    'b\tc\\\\N\\td',
    '',
    '\\.',
    "INSERT INTO auth.users (id) VALUES ('e');",
    'COPY auth.users (id) FROM stdin;',
    'f',
    '\\.',
  ].join('\r\n');
  expect(readDump(dump, 'auth', 'users')).toEqual([
    { id: 'a' },
    { id: 'b', email: 'c\\N\td' },
    { id: 'e' },
    { id: 'f' },
  ]);
  expect(readDump(dump, 'auth', 'sessions')).toEqual([]);
  expect(readDump(dump, 'public', 'users')).toEqual([]);
});

test.each([
  ['COPY auth.users (id) FROM stdin;\na\n', 'a COPY does not end'],
  ['COPY auth.users (id, email) FROM stdin;\na\n\\.\n', 'a row of auth.users has 1 values for 2 columns'],
  ["INSERT INTO auth.users (id) VALUES ('a', 'b');", 'a row of auth.users has 2 values for 1 columns'],
  ["INSERT INTO auth.users (id) VALUES ('a')", 'an INSERT does not end'],
  ['INSERT INTO auth.users (id) VALUES (now_and_for_all_time());', 'a value cannot be read: now_and_for_all_time'],
])('a dump that is refused says why: %j', (dump, reason) => {
  expect(() => readDump(dump, 'auth', 'users')).toThrow(new DumpRefused(reason));
});

test.each([
  'COPY auth.users (id) FROM stdin;\na\n',
  'COPY auth.users (id, email) FROM stdin;\na\n\\.\n',
  "INSERT INTO auth.users (id) VALUES ('a",
  'INSERT INTO auth.users (id) VALUES (now());',
])('a truncated dump or an expression as value is refused: %j', (dump) => {
  expect(() => readDump(dump, 'auth', 'users')).toThrow(DumpRefused);
});
