import type { Section } from './section.ts';

export const overview: Section = {
  title: '1. What the product does and for whom',
  parts: {
    '': {
      '1.1':
        'Visitors browse a landing page with an about section, sign up or sign in, and book studios through a booking and checkout flow.',
      '1.2':
        "Customers choose a studio, a date and consecutive hourly slots, see a price with volume discounts, verify their ID (Australian or NSW driver's licence, age 18 or more), accept terms, optionally apply a coupon code and pay.",
      '1.3': 'After payment they get a confirmation email and an access code emailed 15 minutes before the session.',
      '1.4': 'A separate Coming Soon page collects launch-notification emails.',
      '1.5': 'three studios (Studio A, Studio B, Studio C)',
      '1.6': 'hours shown as 24/7 with smart-lock access',
      '1.7': 'one reading also gives studio hours 10am to 2am [T-07]',
      '1.8':
        "The product uses a hosted backend service (authentication, data tables, file storage, server functions) with a public anonymous key; a signed-in user's access token is sent as a bearer token.",
    },
  },
};
