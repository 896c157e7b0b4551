-- The privacy page says what is stored about phones that have a pass, and what Apple and Google hear. Texts that staff have changed stay as they are.
insert into public.business_settings (settings)
select pg_catalog.jsonb_set(now.settings, '{privacy}', now.privacy)
from (
  select s.settings, (
    select pg_catalog.jsonb_agg(case a.article ->> 'text'
      when $t$Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking, the phone number you gave at checkout.

Your bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in readable form.

Of guests you invite to a booking, the first name each of them gives us. You and our team see it. We delete it 30 days after the session, or with your account.

A log of what was done on your account and by whom, so we can sort out any disagreement.$t$
        then pg_catalog.jsonb_set(a.article, '{text}', pg_catalog.to_jsonb($t$Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking, the phone number you gave at checkout.

Your bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in readable form.

Of guests you invite to a booking, the first name each of them gives us. You and our team see it. We delete it 30 days after the session, or with your account.

Of phones that have a booking in Apple Wallet, a scrambled form of the number by which Apple Wallet tells phones apart, and where Apple reaches it, so the pass can follow your booking. We delete both when you remove the pass, 30 days after the session, or with your account.

A log of what was done on your account and by whom, so we can sort out any disagreement.$t$::text))
      when $t$The companies that run payments, online ID checks, door locks, email and text messages for us. Each sees only what it needs. If you save a booking to Google Wallet, Google gets what the pass shows: room, time, address and reference. We never sell your data.$t$
        then pg_catalog.jsonb_set(a.article, '{text}', pg_catalog.to_jsonb($t$The companies that run payments, online ID checks, door locks, email and text messages for us. Each sees only what it needs. If you save a booking to Google Wallet, Google gets what the pass shows: room, time, address and reference, and hears when it changes. Of a booking in Apple Wallet, Apple only hears that it changed. We never sell your data.$t$::text))
      else a.article end order by a.position)
    from pg_catalog.jsonb_array_elements(s.settings -> 'privacy') with ordinality a(article, position)) as privacy
  from public.business_settings s order by s.version desc limit 1) now
where now.privacy <> now.settings -> 'privacy';
