-- The privacy page says what happens to saved cards, and what everybody does in the account. Texts that staff have changed stay as they are.
insert into public.business_settings (settings)
select pg_catalog.jsonb_set(now.settings, '{privacy}', now.privacy)
from (
  select s.settings, (
    select pg_catalog.jsonb_agg(case a.article ->> 'text'
      when $t$You enter it on our payment provider’s page. We never see the number, only whether you paid.$t$
        then pg_catalog.jsonb_set(a.article, '{text}', pg_catalog.to_jsonb($t$You enter it on our payment provider’s page. We never see the number, only whether you paid. If you choose to save it there, we can read its brand, last four digits and expiry from them, to show you. You can remove it in your account, and we remove it with your account.$t$::text))
      when $t$You can ask what we keep about you, and have it corrected or deleted. Email {email}. If you’re not happy with our answer, you can contact the Office of the Australian Information Commissioner.$t$
        then pg_catalog.jsonb_set(a.article, '{text}', pg_catalog.to_jsonb($t$In your account you can download what we keep about you, correct it, see and sign out your devices, choose which emails and texts you get, and delete the account. For anything else, email {email}. If you’re not happy with our answer, you can contact the Office of the Australian Information Commissioner.$t$::text))
      else a.article end order by a.position)
    from pg_catalog.jsonb_array_elements(s.settings -> 'privacy') with ordinality a(article, position)) as privacy
  from public.business_settings s order by s.version desc limit 1) now
where now.privacy <> now.settings -> 'privacy';
