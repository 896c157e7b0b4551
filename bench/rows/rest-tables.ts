/** The tables for the bench of the data API, with their policies and rights. */
export const REST_TABLES = `
create table public.bench_land (id int primary key, name text not null);
create table public.bench_town (id int primary key, land_id int not null references public.bench_land (id), name text not null, note text, at timestamptz not null);
create table public.bench_note (id bigint generated always as identity primary key, owner uuid not null default auth.uid(), line text not null);
create index on public.bench_town (at);
alter table public.bench_land enable row level security;
alter table public.bench_town enable row level security;
alter table public.bench_note enable row level security;
create policy open on public.bench_land for select to anon using (true);
create policy open on public.bench_town for select to anon using (true);
create policy own on public.bench_note for insert to authenticated with check (owner = (select auth.uid()));
grant select on public.bench_land, public.bench_town to anon;
grant insert on public.bench_note to authenticated;
`;

/** Returns statements that fill the tables with `count` towns, an hour apart. */
export const restRows = (count: number): string => `
insert into public.bench_land select n, 'Land ' || n from generate_series(1, 1000) n;
insert into public.bench_town select n, 1 + n % 1000, 'Town ' || n, repeat('x', 60), timestamptz '2000-01-01Z' + (n - 1) * interval '1 hour' from generate_series(1, ${count}) n;
analyze public.bench_land, public.bench_town;
`;
