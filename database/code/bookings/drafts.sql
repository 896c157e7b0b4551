-- The drafts that the booking pages keep while a customer signs in.

create policy "people keep their own draft" on public.booking_drafts for all to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create trigger booking_drafts_updated_at before update on public.booking_drafts for each row
  execute function private.set_updated_at();
