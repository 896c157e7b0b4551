import type { Section } from './section.ts';

export const screens: Section = {
  title: '2. Screens and routes',
  parts: {
    Routes: {
      '2.1': '/ and /studio: Landing page',
      '2.2': '/coming-soon: Coming Soon page',
      '2.3': '/about: About page (address, hours, contact email, Instagram handle)',
      '2.4': '/auth: Sign In / Sign Up tabs',
      '2.5': '/email-verified: Email confirmation result',
      '2.6': '/booking: Studio and slot selection',
      '2.7': '/checkout: Checkout',
      '2.8': '/profile: Account settings',
      '2.9': '(added) /bookings: one’s own bookings, linked from the ACCOUNT menu [T-66]',
      '2.10':
        '(added) /bookings/ with an id or reference: one booking, with its money, what happened and what can change',
      '2.11': '/payment-success: Payment result (query: session_id, booking_id)',
      '2.12': '/verify-complete: Reads pending booking data and redirects to an external identity verification page',
      '2.13': '/verify-return: Confirms verification and redirects to checkout',
      '2.14': '/admin: Admin dashboard (guarded)',
      '2.15': '/regenerate-pin: PIN regeneration (query: booking_id)',
      '2.16':
        '/access-code: Redirects to /regenerate-pin, carrying booking_id if present, otherwise a hard-coded default booking [T-51]',
      '2.17':
        '/igloohome-test, /test-pin, /test-timezone, /test-booking-system, /test-smart-plug, /power-control: Test and developer pages, no guard shown [T-62]',
      '2.18': 'any other path: 404 page: "Oops! Page not found", link Return to Home; the unknown route is logged',
    },
    'Landing page': {
      '2.19': 'Top-left navigation: HOME (scrolls to top if already at /, otherwise goes to /)',
      '2.20': 'ABOUT US (scrolls to the about section, or goes to / and then scrolls after 100 ms)',
      '2.21': 'SIGN IN (opens the auth dialog) when signed out',
      '2.22': 'an ACCOUNT menu when signed in',
      '2.23':
        'The ACCOUNT menu shows the user\'s email ({email}), an "Account Settings" link to /profile, and "Sign Out".',
      '2.24': 'Signing out on /checkout returns the user to /.',
      '2.25': 'A fixed BOOK NOW button links to /booking.',
      '2.26':
        'Full-screen looping muted background video, separate mobile and desktop videos, a logo shown until the video loads.',
      '2.27':
        'The video restarts if paused or when it scrolls into view; retry after 1 s if autoplay is blocked; visibility threshold 10 percent. [T-68]',
      '2.28':
        'About section: tagline "START LOCAL. MOVE GLOBAL.", a description of three rooms, an info table with address, hours 24/7, contact email and an Instagram handle.',
    },
    'Coming Soon page': {
      '2.29':
        'logo, tagline, "Coming Soon", "Sydney\'s first 24/7 DJ Studios.", an email form (required, email type) with a "Notify Me" button, a contact email, an Instagram link and "Run it up selecta!". [T-73]',
    },
    'Auth dialog and /auth page': {
      '2.30':
        'Auth dialog (modal, opened from the landing page or when login is required): welcome title, tabs Sign In and Sign Up, and a reset-password view.',
      '2.31': '/auth page: tabs Sign In and Sign Up; forgot-password view; email-code verification view; back button.',
      '2.32':
        'Sign Up fields: Full Name (note MUST MATCH ID), Email, Phone Number, Date of Birth (MUST MATCH ID, hint "You must be 18 or older"), DJ Name (optional), Password.',
      '2.33':
        'After sign-up the dialog closes and the user arrives at /auth for email verification, with navigation state showVerification true plus the email.',
      '2.34':
        '/email-verified: loading, success ("Email Confirmed", with "Verify ID Now" or "Continue to Booking", and "Go to Home") or failure ("Sign Up Again", "Go to Home").',
      '2.35': 'Opens an ID verification dialog.',
    },
    '/booking': {
      '2.36': 'studio cards with image, description and equipment badges',
      '2.37': 'a calendar (past days disabled) and a grid of 24 hourly slots (12 AM to 11 PM) appear',
      '2.38': 'a summary card with a Book Now button [T-77]',
      '2.39': '"Continue to next morning" (appears when the selection reaches hour 23)',
      '2.40': '"Back to previous day" (appears when the selection spans into the next day)',
      '2.41': 'Clear Selection',
    },
    '/checkout': {
      '2.42': 'reached with navigation state or stored checkout data',
      '2.43': 'redirects to /booking if there is no booking data',
      '2.44': 'opens the login modal if not signed in',
      '2.45': 'the back button and browser back go to /booking',
      '2.46':
        'Contains first and last name, email, phone, ID verification, terms and conditions dialog, coupon field and submit.',
    },
    '/profile': {
      '2.47': 'signed-in only, else the login modal',
      '2.48': 'Edit profile, change password, ID verification status.',
      '2.49': '"Back to Home" goes to /; Sign Out goes to /.',
    },
    '/payment-success': {
      '2.50': 'requires session_id and booking_id, else redirects to /booking',
      '2.51':
        "Shows booking details, payment summary and what's next (arrive 10 minutes early), buttons Return Home (/) and Book Another Session (/booking).",
      '2.52': 'A "Booking not found" page has a Return to Booking button.',
    },
    '/admin': {
      '2.53': 'tabs Discount Codes and Audit Logs',
      '2.54': 'Discount tab: Add New Code dialog (create or edit)',
      '2.55':
        'A header shows the total codes and active count, above a table with columns Code, Type, Value, Usage, Status, Expires, Actions (edit, activate/deactivate).',
      '2.56': 'Empty text: "No discount codes found. Create your first one!"',
      '2.57': 'Audit tab: latest 100 logs.',
    },
    '/regenerate-pin': {
      '2.58':
        'shows studio name, remaining time (updates every second), current PIN with a copy button, a Generate New PIN button, and a note that each PIN is single-use',
    },
    'Test pages and dialogs': {
      '2.59':
        'Igloohome test (config test, oauth test, PIN generation test, generate access code, send test email, schedule email, process emails, view access codes, clear results)',
      '2.60': 'test PIN generator',
      '2.61': 'timezone test',
      '2.62': 'test-booking creator (bookings 5, 30 and 120 minutes ahead)',
      '2.63': 'smart-plug test',
      '2.64': 'manual Green Room lights control (turn on, turn off)',
      '2.65': 'Dialogs: Terms & Conditions; ID Verification.',
    },
  },
};
