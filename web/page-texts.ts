/** The texts of a page for search engines and shared links. Only the server's HTML contains them, so no script of a page loads this file. */
export type PageText = {
  /** The title until the page sets its own. */
  readonly title: string;
  /** May contain `{name}`, the name of the business, and the placeholders of `fillOffer`. */
  readonly description: string;
};

const HOME: PageText = {
  title: '{name}, Sydney',
  description: '{rooms} in Sydney{open}. Pick a room and your hours, pay by card, get a PIN for the door, play.{from}',
};
const NO_PAGE: PageText = { title: 'Page not found', description: 'There is no page at this address.' };
const own = (title: string): PageText => ({ title, description: 'Book a DJ studio in Sydney by the hour, any hour.' });

/** The texts by path. Developer pages have the texts of an unknown page. */
const TEXTS: Readonly<Record<string, PageText>> = {
  '/': HOME,
  '/studio': HOME,
  '/about': {
    title: 'About us',
    description: 'Who we are, where the three studios are, when they are open (always) and how to reach us.',
  },
  '/coming-soon': {
    title: 'Coming Soon',
    description: 'Sydney’s first {name} are on their way. Leave your email and be the first to hear when we open.',
  },
  '/terms': {
    title: 'Terms & Conditions',
    description: 'Payment, cancellation, guests, access, age and ID: the terms of a booking in plain words.',
  },
  '/privacy': {
    title: 'Privacy',
    description:
      'What we keep about you, why, for how long, who else sees it, and how to have it corrected or deleted.',
  },
  '/status': {
    title: 'Status',
    description: 'Which parts of {name} work right now: booking, payments, door codes, emails.',
  },
  '/booking': {
    title: 'Book a studio',
    description:
      'Choose Studio A, B or C and your hours, any hour of the week. Prices by the hour, 10% off three hours, 15% off four or more.',
  },
  '/unsubscribe': { title: 'Unsubscribe', description: 'Leave our mailing list.' },
  '/auth': own('Sign in'),
  '/email-verified': own('Email Confirmed'),
  '/undo-email': own('Undo a change of address'),
  '/checkout': own('Checkout'),
  '/bookings': own('Your bookings'),
  '/bookings/*': own('Your booking'),
  '/profile': own('Account Settings'),
  '/payment-success': own('Your booking'),
  '/verify-complete': own('ID check'),
  '/verify-return': own('ID check'),
  '/regenerate-pin': own('Your access code'),
  '/door': own('At the door'),
  '/crew': own('Your invitation'),
  '/access-code': own('Your access code'),
  '/admin': own('Admin'),
  '/staff-invitation': own('Join the staff'),
};

export const getPageText = (path: string): PageText => TEXTS[path] ?? NO_PAGE;
