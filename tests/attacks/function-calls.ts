import { type Ask, getId } from './hidden-columns.ts';

const reads = (name: string, body: object, ...queries: readonly string[]): readonly Ask[] =>
  ['', ...queries].map((query) => ({ method: 'POST', path: `/rpc/${name}?${query}`, body: JSON.stringify(body) }));
const rolledBack = (name: string, body: object): readonly Ask[] => [
  { method: 'POST', path: `/rpc/${name}`, prefer: 'tx=rollback', body: JSON.stringify(body) },
];

/** Calls of each function in the exposed schema that reads hidden values, also with filters on its result. */
export const CALLS: Readonly<Record<string, readonly Ask[]>> = {
  booking_crew: [
    '',
    'name=like.secret%25%5C',
    'saw_shared_code=is.true',
    'order=name.desc',
    'select=joined_at.max(),name::text',
  ].map((query) => ({
    method: 'POST',
    path: `/rpc/booking_crew?${query}`,
    body: JSON.stringify({ bookings: [getId(1), getId(2)] }),
  })),
  booking_details: [{ method: 'POST', path: '/rpc/booking_details', body: '{"reference": "AAAA-2222"}' }],
  bookings_of_day: [
    '',
    'customer_email=like.secret%25%5C',
    'reference=eq.AAAA-2222',
    'code_seen_at=not.is.null',
    'order=phone.desc',
    'select=start_time.max(),customer_name::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/bookings_of_day?${query}`, body: '{"day": "2031-01-01"}' })),
  business_numbers: [
    { method: 'POST', path: '/rpc/business_numbers', body: '{"first_day": "2026-01-01", "last_day": "2026-12-31"}' },
  ],
  calendar_feeds: [{ method: 'POST', path: '/rpc/calendar_feeds', body: '{}' }],
  close_job: [
    {
      method: 'POST',
      path: '/rpc/close_job',
      prefer: 'tx=rollback',
      body: JSON.stringify({ job: getId(1), reason: 'tried in a test' }),
    },
  ],
  developer_pages_open: [{ method: 'POST', path: '/rpc/developer_pages_open', body: '{}' }],
  free_hours: [{ method: 'POST', path: '/rpc/free_hours', body: '{"first_day": "2031-01-01", "days": 42}' }],
  has_permission: [{ method: 'POST', path: '/rpc/has_permission', body: '{"permission": "bookings"}' }],
  is_staff: [{ method: 'POST', path: '/rpc/is_staff', body: '{}' }],
  leave_mailing_list: [
    {
      method: 'POST',
      path: '/rpc/leave_mailing_list',
      prefer: 'tx=rollback',
      body: JSON.stringify({ subscription: getId(1) }),
    },
  ],
  newest_bookings: [
    '',
    'reference=like.secret%25%5C',
    'contact_phone=eq.secret-1x',
    'final_cost=gt.1',
    'order=notes.desc',
    'select=final_cost.max(),created_at::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/newest_bookings?${query}`, body: '{}' })),
  may_add_report_photo: reads('may_add_report_photo', {}),
  own_feedback: reads('own_feedback', { booking: getId(1) }),
  order_of_booking: ['', 'status=like.secret%25%5C', 'order=cents.desc'].map((query) => ({
    method: 'POST',
    path: `/rpc/order_of_booking?${query}`,
    body: '{"reference": "AAAA-2222"}',
  })),
  own_booking: [{ method: 'POST', path: '/rpc/own_booking', body: '{"booking": "AAAA-2222"}' }],
  own_bookings: [
    '',
    'reference=like.secret%25%5C',
    'coupon_code=eq.secret-1x',
    'final_cost=gt.1',
    'order=coupon_code.desc',
    'select=final_cost.max(),coupon_value::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/own_bookings?${query}`, body: '{}' })),
  retry_job: [
    { method: 'POST', path: '/rpc/retry_job', prefer: 'tx=rollback', body: JSON.stringify({ job: getId(1) }) },
  ],
  search_audit_logs: [
    'details->>a=eq.secret-1x',
    'action=like.secret%25%5C',
    'order=created_at.desc',
    'select=action.max()',
    'resource_id=eq.secret-1x',
  ].map((query) => ({ method: 'POST', path: `/rpc/search_audit_logs?${query}`, body: '{"words": "secret-1"}' })),
  search_customers: [
    '',
    'email=like.secret%25%5C',
    'block_reason=eq.secret-1x',
    'paid=gt.1',
    'order=phone.desc',
    'select=paid.max(),full_name::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/search_customers?${query}`, body: '{"words": "secret-1"}' })),
  search_guest_bookings: [
    '',
    'guest_email=like.secret%25%5C',
    'order=contact_phone.desc',
    'select=guest_name::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/search_guest_bookings?${query}`, body: '{"words": "secret-1"}' })),
  add_booking_note: [
    {
      method: 'POST',
      path: '/rpc/add_booking_note',
      prefer: 'tx=rollback',
      body: JSON.stringify({ note_id: getId(1), booking: getId(1), note: 'x' }),
    },
  ],
  keep_blocked_booking: [
    {
      method: 'POST',
      path: '/rpc/keep_blocked_booking',
      prefer: 'tx=rollback',
      body: JSON.stringify({ booking: getId(1) }),
    },
  ],
  mark_no_show: [
    {
      method: 'POST',
      path: '/rpc/mark_no_show',
      prefer: 'tx=rollback',
      body: JSON.stringify({ booking: getId(1), missed: true }),
    },
  ],
  send_mail_again: [
    {
      method: 'POST',
      path: '/rpc/send_mail_again',
      prefer: 'tx=rollback',
      body: JSON.stringify({ booking: getId(1), mail: 'access-code' }),
    },
  ],
  staff_alerts: [
    '',
    'problem=like.secret%25%5C',
    'customer_name=eq.secret-1x',
    'tries=gt.1',
    'order=since.desc',
    'select=since.max(),problem::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/staff_alerts?${query}`, body: '{}' })),
  staff_calendar: [
    '',
    'customer_email=like.secret%25%5C',
    'reason=eq.secret-1x',
    'final_cost=gt.1',
    'order=reference.desc',
    'select=final_cost.max(),customer_name::text',
  ].map((query) => ({
    method: 'POST',
    path: `/rpc/staff_calendar?${query}`,
    body: '{"first_day": "2031-01-01", "days": 42}',
  })),
  upcoming_bookings: [
    '',
    'reference=like.secret%25%5C',
    'contact_phone=eq.secret-1x',
    'final_cost=gt.1',
    'order=notes.desc',
    'select=final_cost.max(),user_id::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/upcoming_bookings?${query}`, body: '{}' })),
  // Anyone who has a code can read its uses, as the specification requires; a wrong guess reveals nothing about any code.
  validate_discount_code: [
    '',
    'max_uses=eq.100',
    'max_uses=is.null',
    'current_uses=gt.7',
    'current_uses=not.gt.7',
    'order=current_uses.desc',
    'select=max_uses::text,current_uses.max()',
    'error_message=like.%25%5C',
  ].map((query) => ({
    method: 'POST',
    path: `/rpc/validate_discount_code?${query}`,
    body: '{"code_input": "unknown", "booking_hours": 2}',
  })),
  waiting_reviews: [
    '',
    'account_email=like.secret%25%5C',
    'last_name=eq.secret-1x',
    'confidence=gt.1',
    'order=date_of_birth.desc',
    'select=created_at.max(),first_name::text',
  ].map((query) => ({ method: 'POST', path: `/rpc/waiting_reviews?${query}`, body: '{}' })),
  add_customer_note: rolledBack('add_customer_note', { note_id: getId(1), customer: getId(1), note: 'x' }),
  campaigns: reads('campaigns', {}, 'subject=like.secret%25%5C', 'order=subject.desc'),
  customer_messages: reads('customer_messages', { customer: getId(1) }),
  customer_notes: reads('customer_notes', { customer: getId(1) }),
  discount_code_results: reads('discount_code_results', { codes: [getId(1)] }),
  gift_batches: reads('gift_batches', {}),
  lacks_second_factor: reads('lacks_second_factor', { permission: 'money' }),
  staff_rights: reads('staff_rights', {}),
  mailing_list_counts: reads('mailing_list_counts', {}),
  make_gift_codes: rolledBack('make_gift_codes', { batch: getId(1), amount: 1, prefix: 'X', terms: {} }),
  remove_from_mailing_list: rolledBack('remove_from_mailing_list', { address: 'secret-1x' }),
  search_mailing_list: reads(
    'search_mailing_list',
    { words: 'secret-1' },
    'email=like.secret%25%5C',
    'order=email.desc',
  ),
  second_factor_rules: reads('second_factor_rules', {}),
  set_gift_batch_active: rolledBack('set_gift_batch_active', { batch: getId(1), active: false }),
  site_settings: reads('site_settings', {}),
  site_texts: reads('site_texts', {}),
  staff_ratings: reads('staff_ratings', {}),
  staff_team: reads('staff_team', {}, 'email=like.secret%25%5C'),
  ledger_check: reads('ledger_check', { month: '2031-01-01' }),
  staff_rooms: reads('staff_rooms', {}),
  waiting_moves: reads('waiting_moves', {}),
};
