import type { Section } from './section.ts';

export const states: Section = {
  title: '4. States and transitions',
  parts: {
    'Auth state': {
      '4.1': 'loading at start, then signed in or signed out',
      '4.2':
        'Events handled: SIGNED_IN, SIGNED_OUT, TOKEN_REFRESHED, USER_UPDATED, PASSWORD_RECOVERY, INITIAL_SESSION, MFA_CHALLENGE_VERIFIED. [T-15]',
      '4.3': 'A sign-in event while on /auth redirects to /booking. [T-12]',
      '4.4':
        'Sign-out clears user and session in memory (even if the service errors), removes stored auth keys, then calls the service sign-out.',
      '4.5': 'Stored legacy auth data that is not valid JSON is deleted at start.',
      '4.6': 'Initialisation and sign-out errors are logged and loading stops.',
      '4.7': 'The session is persisted locally with automatic refresh.',
    },
    'Auth dialog': {
      '4.8':
        'sign-in, sign-up and forgot-password views ("Forgot password?" opens it, "Back to Sign In" returns; a successful send returns to sign-in)',
      '4.9': 'It closes on success and resets all fields.',
      '4.10': 'Submit labels: "Signing in...", "Creating account...", "Sending...".',
      '4.11':
        'The Sign Up button is disabled until email, password, full name, phone and date of birth are set and age is at least 18; it reads "Must be 18+" when under age.',
      '4.12': 'After sign-in, if a checkout draft exists, scroll to top and go to /checkout.',
    },
    '/auth page flow': {
      '4.13':
        'sign-up, then the email-verification view (6-digit code), then verified and redirected to /profile [T-12]',
      '4.14':
        'Sign-in success goes to /booking if pending booking selections are stored, else to the "from" query target, else /. [T-12, T-13]',
      '4.15': 'Already signed-in visitors to /auth are redirected the same way.',
    },
    'Slot selection': {
      '4.16':
        'A slot can be added only if the result remains consecutive hours (adjacent hours on the same day, or 11 PM followed by 12 AM of the next day).',
      '4.17':
        "On today's date, hours before the current hour cannot be selected, nor the current hour once past minute 30. [T-06]",
      '4.18': 'Deselecting keeps only the longest consecutive run that remains. [T-08]',
      '4.19': 'Booked hours cannot be selected.',
    },
    'Book Now': {
      '4.20':
        'Not signed in: selections are stored in session storage and the login modal opens; after login selections are restored (toast "Selections Restored").',
      '4.21':
        'Signed in with a user_verifications row: a checkout session is created and the browser goes to the payment URL.',
      '4.22':
        'Otherwise a verification session is created, its ids stored in session storage, and the user goes to /verify-complete. [T-76]',
    },
    'ID verification dialog': {
      '4.23':
        'steps: id_photo, id_preview, verifying, success (closes after 1.5 s and reports the verification id), failed (shows reasons; Try Again returns to the photo step)',
      '4.24': 'The camera can toggle between front and back.',
    },
    'Other flows': {
      '4.25': 'The terms checkbox is enabled only after scrolling to within 50 px of the bottom. [T-69]',
      '4.26': 'Verification return: loading, processing, then success (redirect to the checkout URL) or failed.',
      '4.27':
        'Payment success: verify payment, set booking status to confirmed, generate access code, schedule the access-code email, send the confirmation email. [T-31, T-35]',
      '4.28':
        'Email-verified page: loading (waits 1 s before checking the session), then success (session exists) or error. [T-14]',
      '4.29': 'If the user has a verified ID record, a ready state shows; otherwise the ID dialog opens after 2 s.',
      '4.30':
        'Discount code: active or inactive; created active by default (server default not shown); toggled by the admin.',
      '4.31':
        'Regenerate PIN: available only while now is before booking end_time; afterwards the button reads "Session Ended" and is disabled.',
      '4.32': 'Scheduled email status starts pending.',
    },
  },
};
