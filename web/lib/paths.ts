/** Paths of the site. */
export const paths = {
  home: '/',
  auth: '/auth',
  booking: '/booking',
  checkout: '/checkout',
  profile: '/profile',
  bookings: '/bookings',
  ownBooking: (reference: string): string => `/bookings/${encodeURIComponent(reference)}`,
  about: '/about',
  comingSoon: '/coming-soon',
  terms: '/terms',
  unsubscribe: '/unsubscribe',
  undoEmail: '/undo-email',
  privacy: '/privacy',
  admin: '/admin',
  verifyComplete: '/verify-complete',
  regeneratePin: (bookingId: string, token: string | null = null): string =>
    ofBooking('/regenerate-pin', bookingId, token),
  door: (bookingId: string, token: string | null): string => ofBooking('/door', bookingId, token),
} as const;

/** `token` comes from a mailed link and stays in the address. */
function ofBooking(path: string, bookingId: string, token: string | null): string {
  return `${path}?booking_id=${encodeURIComponent(bookingId)}${token === null ? '' : `&token=${encodeURIComponent(token)}`}`;
}

/** Returns the address that opens a booking on top of the section of the admin page with this query. */
export function withBooking(search: URLSearchParams, reference: string): string {
  return `${paths.admin}?${new URLSearchParams([...search].filter(([name]) => name !== 'booking').concat([['booking', reference]]))}`;
}

/** The developer pages, in menu order. */
export const developerPaths = [
  { path: '/igloohome-test', label: 'Igloohome test' },
  { path: '/test-pin', label: 'Test PIN' },
  { path: '/test-booking-system', label: 'Test bookings' },
  { path: '/test-timezone', label: 'Timezone test' },
  { path: '/test-smart-plug', label: 'Smart plug test' },
  { path: '/power-control', label: 'Power control' },
  { path: '/primitives', label: 'Primitives' },
] as const;

/** Returns the path if it belongs to this site, otherwise null. Prevents redirects to other sites. */
export function ownPath(text: string | null): string | null {
  return text !== null && /^\/(?![/\\])[\w\-/?=&%.#]*$/.test(text) ? text : null;
}

/** Returns the address that calls a phone number. */
export const phoneUrl = (phone: string): string => `tel:${phone.replaceAll(/[^+\d]/g, '')}`;

/** Returns the address of a place on a map. */
export const mapUrl = (address: string): string =>
  `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address)}`;
