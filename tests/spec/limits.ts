import type { Section } from './section.ts';

export const limits: Section = {
  title: '9. Business constants and limits',
  parts: {
    Pricing: {
      '9.1': 'Mon to Thu: $59 for hours 18-22, else $49',
      '9.2': 'Fri: $59 hours 0-17, $69 hours 18-23',
      '9.3': 'Sat: $69 hours 0-1, $59 hours 2-17, $69 hours 18-23',
      '9.4': 'Sun: $69 hours 0-2, $59 hours 10-17, $69 hours 18-22; hours 3-9 and 23 are $59 [T-42]',
      '9.5': 'Volume discount: 3 hours 10%, 4 or more hours 15%, rounded to whole dollars. [T-38]',
      '9.6':
        'Coupon: percentage applies to subtotal minus volume discount; fixed amount is subtracted; total floors at 0. [T-37]',
      '9.7': 'Fixed discounts show in dollars, percentages with a percent sign.',
      '9.8': 'Availability fetch covers the chosen day plus the next day. [T-02]',
      '9.9': 'Past-hour cutoff: current hour; minute over 30 blocks the current hour. [T-06]',
    },
    Limits: {
      '9.10': 'Minimum age 18.',
      '9.11': 'Password 6 to 128. Full name 2 to 100, email max 255, phone 10 to 20, DJ name max 100.',
      '9.12': 'Coupon code max 50, description max 500, discount value at most 100000.',
      '9.13': 'Verification code 6 digits.',
      '9.14': 'ID image max 10 MB, captured as JPEG quality 0.9 at ideal 1280x720',
      '9.15': 'name in the storage path sanitized and cut to 50 characters [T-22]',
      '9.16': 'Success dialog delay 1.5 s.',
      '9.17':
        'Access-code email: scheduled 15 minutes before start, or immediately if start is within 1 hour (checkout rule) or 15 minutes (test pages, two readings). [T-56]',
      '9.18': 'PIN activates 5 minutes before start (test logic) [T-09]',
      '9.19': 'a cron job processes pending emails every minute',
      '9.20': 'each PIN is single-use [T-53]',
      '9.21': 'Test smart plug turns on then off after 2 s',
      '9.22': 'test PIN valid until 7pm',
      '9.23': 'test bookings use base cost 100 and 1-hour durations',
      '9.24':
        'Terms (last updated October 2025): payment in full at booking; cancellation only 24+ hours before start by email; up to 5 people; 24/7 smart-lock access; ID required before first session; NSW law. [T-45]',
    },
    'Timers and formats': {
      '9.25': 'Timers: email availability debounce 500 ms',
      '9.26': 'email-verified page toast 8 s',
      '9.27': 'countdown tick 1 s',
      '9.28': 'scroll-to-about delay 100 ms',
      '9.29': 'Audit log limit 100; access code view limit 10.',
      '9.30': 'Formats: audit timestamp "MMM dd, yyyy HH:mm:ss"; discount expiry "MMM dd, yyyy".',
      '9.31': 'Date picker English (US), week starts Sunday. [T-18]',
    },
    'Service limits': {
      '9.32':
        'auto-refresh tick 30 s, refresh when 90 s or less remain, retry backoff 200 ms doubled within 30 s, key-set cache 10 minutes [supabase-js]',
      '9.33':
        'Storage list defaults: limit 100, offset 0, sort by name ascending; cache-control 3600; upsert false. [supabase-js]',
      '9.34': 'Sign-out removes the legacy token key and any key starting with sb- and containing auth-token.',
      '9.35': 'Fixed discount thresholds beyond those above: not shown.',
    },
  },
};
