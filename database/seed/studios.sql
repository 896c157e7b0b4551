-- Inserts the three rooms. Their ids are fixed, so that locks and links can name them. Runs at every boot, and does not
-- change rooms that exist.
insert into public.studios (id, name, description, features, hourly_rate, title, summary, photos, sort_order) values
  ('5a000000-0000-4000-8000-00000000000a', 'Studio A',
   'The main room. A full club rig on a raised booth, a tuned four-stack and space for five. Built for long blends and full rehearsals.',
   '{"4 × CDJ-3000","DJM-A9 mixer","Four-point club sound","Booth monitors","Haze and moving lights"}', 49,
   'The club rig', 'Four decks on a raised booth, four-point sound, room for five.', '{drawn-a}', 1),
  ('5a000000-0000-4000-8000-00000000000b', 'Studio B',
   'The vinyl room. Two turntables, a rotary mixer and warm monitors in a dead-quiet box. Made for digging, scratching and recording sets.',
   '{"2 × SL-1200MK7","2 × CDJ-3000","Rotary mixer","Near-field monitors","Multitrack recording"}', 49,
   'The vinyl room', 'Two turntables, a rotary mixer, and quiet enough to record.', '{drawn-b}', 2),
  ('5a000000-0000-4000-8000-00000000000c', 'Studio C',
   'The camera room. A stream-ready booth with three fixed cameras, soft light and a clean feed, so a set leaves the room as a finished video.',
   '{"2 × CDJ-3000","DJM-900NXS2 mixer","Three 4K cameras","Key and colour light","Live-stream feed"}', 49,
   'The camera room', 'Three cameras, soft light, and you take home a video of your set.', '{drawn-c}', 3)
on conflict do nothing;
