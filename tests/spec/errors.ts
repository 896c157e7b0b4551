import type { Section } from './section.ts';

export const errors: Section = {
  title: '8. The error catalogue',
  parts: {
    Accounts: {
      '8.1':
        'message includes "User already registered": "Email already in use" / "An account with this email already exists. Please sign in instead or use a different email."',
      '8.2':
        'message includes "Password should be at least": "Password too short" / "Password must be at least 6 characters long."',
      '8.3': 'other: "Sign up failed" with the server message.',
      '8.4':
        '"Invalid login credentials" gives "Invalid credentials" / "Please check your email and password and try again."',
      '8.5': 'other errors give "Error" with the server message',
      '8.6':
        'Success toast: "Welcome back, {name}!" (DJ name, else first word of full name, else plain "Welcome back!") with "You\'ve been signed in successfully."',
      '8.7': 'Any unexpected exception in an auth action: "Error" / "An unexpected error occurred. Please try again."',
      '8.8':
        'Reset: server error shown as "Error" with its message; success "Reset link sent" / "Check your email for a password reset link."',
      '8.9':
        'Verification code: failure "Verification failed" with message; success "Email verified!" / "Your account has been created successfully."',
      '8.10': 'Resend: "Code Resent"; failure shows the message or "Failed to resend code. Please try again."',
      '8.11':
        'Email availability check: a "User not found" error means not registered; a "For security purposes" rate-limit error counts as registered; no error counts as registered. [T-11]',
      '8.12':
        '"Failed to verify email. Please try again." / "Email verification link may have expired. Please try signing up again."',
    },
    'Mailing list': {
      '8.13':
        'database code 23505 gives "This email is already on our list!"; other failures "Something went wrong. Please try again."; success "Thanks for signing up! We\'ll notify you when we launch." and the field clears',
    },
    Booking: {
      '8.14': '"Failed to load studios. Please refresh the page."',
      '8.15': '"Failed to restore selections. Please try again."',
      '8.16': '"Selected studio not found."',
      '8.17': 'verification start failure shows the message or "Failed to start verification. Please try again."',
    },
    'Camera and ID': {
      '8.18': '"Camera Access Denied - Please allow camera access in your browser settings."',
      '8.19': '"Camera Error - Camera not properly initialized. Please close and try again."',
      '8.20': '"Failed to capture image. Please try again."',
      '8.21': 'ID failure shows the failure reasons joined, or "Verification failed. Please try again."',
      '8.22': '"Not authenticated" if no user [T-21]',
    },
    'Coupon and payment': {
      '8.23': 'Coupon: "Failed to validate coupon"; "Invalid coupon code"; or the server\'s error_message.',
      '8.24': 'Success "Coupon Applied!" with "{value}% off" or "${value} off your booking".',
      '8.25': 'Payment: "Payment Error" with message or "Failed to process payment. Please try again."',
      '8.26':
        'Profile: "Error" with message or "Failed to update profile. Please try again."; password errors are analogous.',
      '8.27':
        '"Payment not completed", "Missing booking or session ID" and "User not authenticated" lead to a toast "Booking Error" (message or "Failed to complete booking. Please contact support.") and a redirect to /booking. [T-36]',
      '8.28': 'Access-code and email failures are only logged. [T-57]',
      '8.29': 'Success toasts: "Payment Successful!", "ID Verified", "Profile updated", "Password updated".',
    },
    'Identity flow': {
      '8.30': '"No booking data found. Please try booking again." [T-48]',
      '8.31': '"No verification URL received"',
      '8.32': '"Failed to start verification"',
      '8.33': '"No verification session ID found. Please try booking again."',
      '8.34': '"Identity verification was not completed successfully"',
      '8.35': '"Failed to process verification"',
      '8.36': 'A Return to Booking button clears stored pending data and goes to /booking.',
    },
    'Discount admin': {
      '8.37': '"Failed to fetch discount codes"',
      '8.38': '"Failed to save discount code"',
      '8.39': '"Failed to update discount code status"',
      '8.40': 'successes "Discount code created successfully", "updated successfully", "activated", "deactivated"',
    },
    'PIN page and protocol errors': {
      '8.41': 'expired gives "Your booking session has ended. You can no longer generate new PINs."',
      '8.42': 'otherwise the server error or "Failed to generate new PIN."',
      '8.43': 'a failed copy is only logged',
      '8.44': 'session missing ("Auth session missing!") [supabase-js]',
      '8.45':
        'invalid credentials, invalid token response, weak password (with reasons), invalid JWT, retryable fetch error (status 502, 503, 504 or network failure), redirect error [supabase-js]',
      '8.46': 'Storage errors carry message, status and status code.',
      '8.47': 'Test pages show various failures; details not shown.',
    },
  },
};
