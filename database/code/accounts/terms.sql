create policy "people read what they accepted" on public.terms_acceptances for select to authenticated
  using (user_id = (select auth.uid()) or (select public.is_staff()));
