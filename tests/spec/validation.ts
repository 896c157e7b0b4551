import type { Section } from './section.ts';

export const validation: Section = {
  title: '5. Validation rules',
  parts: {
    'Sign-in and sign-up': {
      '5.1':
        'Sign-in: email trimmed and valid ("Please enter a valid email address"); password at least 6 ("Password must be at least 6 characters").',
      '5.2':
        'fullName trimmed, 2 to 100 ("Full name must be at least 2 characters" / "Full name must be less than 100 characters").',
      '5.3': 'email valid, max 255 ("Email must be less than 255 characters").',
      '5.4':
        'phone 10 to 20 ("Phone number must be at least 10 digits" / "Phone number must be less than 20 characters"). [T-17]',
      '5.5': 'djName optional, max 100 ("DJ name must be less than 100 characters").',
      '5.6': 'password 6 to 128 ("Password must be less than 128 characters").',
      '5.7':
        'dateOfBirth required ("Date of birth is required"); the picker and input cannot choose future dates. [T-18]',
      '5.8':
        'Age at least 18 from date of birth (year, month, day difference): title "Age Requirement", "You must be 18 years or older to create an account."',
      '5.9': 'A missing date gives "Date of Birth Required" / "Please enter your date of birth."',
      '5.10':
        'All fields except DJ Name are required. The first validation failure is shown as a toast titled "Validation Error".',
      '5.11':
        'As the email is typed, after a 500 ms delay an availability check runs (via the password-reset call); if the email appears registered the field shows an error "Email already registered" and Sign Up is disabled. [T-11]',
      '5.12':
        'Verification code: exactly 6 digits, digits only; otherwise "Invalid code": "Please enter the 6-digit verification code."',
      '5.13':
        'Reset: email valid; on /auth an empty email gives "Email required": "Please enter your email address first."',
    },
    'Profile and password': {
      '5.14':
        'date of birth if given must give age 18 or more ("You must be 18 years or older.", title "Age Requirement")',
      '5.15': 'date input max is today [T-18]',
      '5.16': 'An email change shows a confirmation-email notice.',
      '5.17': 'Profile shape: fullName 2 to 100, email valid max 255, phone 10 to 20.',
      '5.18': 'new and confirm must match (title "Password mismatch", "New password and confirmation don\'t match.")',
      '5.19': 'minimum 6 (title "Password too short", "Password must be at least 6 characters long.")',
    },
    'Checkout and coupons': {
      '5.20':
        'First and last name required ("Please enter your first and last name as shown on your Australian ID."), each at least 2 characters ("Please enter valid first and last names."). [T-24]',
      '5.21':
        'Customer data (fullName, email, phone) is checked by a schema (message shown, title "Validation Error").',
      '5.22': 'Coupon code is checked by a schema (first error shown) and upper-cased.',
      '5.23': 'Submit disabled unless first name, last name, email, phone, ID verified and terms accepted.',
      '5.24':
        'Coupon apply: code trimmed, 1 to 50, upper-cased ("Coupon code cannot be empty" / "Coupon code must be less than 50 characters").',
      '5.25': 'Coupon create: code 1 to 50 ("Code is required")',
      '5.26': 'discount type percentage or fixed ("Discount type must be percentage or fixed")',
      '5.27':
        'discount_value positive and at most 100000 ("Discount value must be positive" / "Discount value is too large") [T-39]',
      '5.28': 'description max 500',
      '5.29': 'min_hours positive ("Minimum hours must be positive")',
      '5.30': 'max_uses positive integer ("Max uses must be a positive integer")',
      '5.31':
        'Admin form: first schema error shown as "Validation Error"; value numeric with two decimals; empty optional values are sent as null.',
    },
    'ID, PIN and calendar': {
      '5.32':
        'ID upload: must be an image ("Please upload an image file."), under 10 MB ("Please upload an image smaller than 10MB.").',
      '5.33':
        'Names and date of birth on the ID must match the account; a warning says a mismatch may cause a permanent ban and cancellation without refund. [T-27]',
      '5.34':
        'Regenerate PIN requires booking_id, else "Invalid Request": "No booking ID provided. Please use the link from your booking confirmation email."',
      '5.35':
        'sign-up or sign-in needs an email or phone plus a password ("You must provide either an email or phone number and a password") [supabase-js]',
      '5.36': 'sign-out scope is global, local or others',
      '5.37': 'Labels Full Name and Date of Birth carry a "MUST MATCH ID" badge.',
      '5.38': 'Calendar disables dates before today.',
    },
  },
};
