import type { Section } from './section.ts';

export const roles: Section = {
  title: '6. Roles and permissions',
  parts: {
    '': {
      '6.1':
        'Guest: browse studios and select slots, open the landing page, the auth dialog and BOOK NOW; must sign in to book, check out or view settings.',
      '6.2': 'Signed-in customer: book, verify ID, manage profile and password, sign out.',
      '6.3':
        'Roles are admin and user, read from user_roles for the signed-in user; on failure or no row the role defaults to user.',
      '6.4': 'while loading shows "Checking permissions..."',
      '6.5':
        'unauthenticated shows "Authentication Required: Please sign in to access the admin panel" and opens the sign-in modal',
      '6.6':
        'non-admin shows "Access Denied: You don\'t have permission to access this admin area. Only administrators can view this page." with a Return to Home button',
      '6.7': 'Admins can create, edit and toggle discount codes and read the latest 100 audit logs.',
      '6.8':
        'Test pages and /regenerate-pin have no guard shown; the regenerate function is called with the public anonymous key. [T-49, T-62]',
      '6.9': 'Server-side enforcement: not shown. [T-64]',
    },
  },
};
