import type { Section } from './section.ts';

export const calls: Section = {
  title: '7. The calls it makes',
  parts: {
    '': {
      '7.1': 'All calls go to a hosted backend with an apikey header and bearer token.',
    },
    'Authentication service': {
      '7.2': 'POST /signup (email or phone, password, data, captcha)',
      '7.3': 'POST /token?grant_type=password: refresh_token: pkce: id_token: web3',
      '7.4': 'POST /otp, POST /verify, POST /recover, POST /resend, POST /sso',
      '7.5': 'GET and PUT /user; GET /reauthenticate; POST /logout?scope=...; GET /authorize',
      '7.6': 'GET /user/identities/authorize; DELETE /user/identities/{id}',
      '7.7': 'POST /factors; POST /factors/{id}/challenge; POST /factors/{id}/verify; DELETE /factors/{id}',
      '7.8': 'GET /.well-known/jwks.json',
      '7.9':
        'Admin: /admin/users, /admin/users/{id}, /admin/users/{id}/factors, /admin/generate_link, POST /invite (product use not shown) [T-67]',
    },
    Storage: {
      '7.10': 'bucket create/read/update/delete under /bucket and /bucket/{id}/empty',
      '7.11': 'object upload, update, move, copy, sign, list, info, download, remove under /object/...',
      '7.12': 'public and rendered image URLs',
      '7.13': 'Other bases: /rest/v1, /functions/v1.',
      '7.14': 'Other bases: /realtime/v1.',
    },
    'Product usage of authentication': {
      '7.15':
        'signUp: email, password, options emailRedirectTo ({origin}/email-verified from the dialog; /profile from the /auth page), data full_name, phone, dj_name, date_of_birth.',
      '7.16':
        'signInWithPassword: email, password; response read: user (id, user_metadata.dj_name, user_metadata.full_name).',
      '7.17': 'verifyOtp: email, token, type email.',
      '7.18':
        'resetPasswordForEmail: email, redirect to the site root (dialog) or /auth or /auth?reset=true (auth page). [T-15]',
      '7.19': 'resend: type signup, email.',
      '7.20': 'getSession, getUser, update user (email or password), signOut.',
    },
    'Data calls': {
      '7.21':
        'select profiles (dj_name, full_name) where id equals user id, single; select profiles (full_name, email, phone, address, or all) by user_id; update profiles (full_name, email, phone, dj_name, date_of_birth). [T-29, T-74]',
      '7.22': 'insert mailing_list: one row with email.',
      '7.23': 'select studios (all, ordered by name; one test call limit 1).',
      '7.24':
        'select bookings (studio_id, start_time, end_time, status) filtered by studio_id, start_time from the start of the chosen day to the end of the next day, status not cancelled. [T-02]',
      '7.25':
        'select bookings by id with studios join; update bookings status to confirmed; insert bookings (test pages); select bookings by a fixed id (timezone test). [T-31, T-62]',
      '7.26': 'select user_verifications id by user_id.',
      '7.27':
        'select id_verifications by user_id, verification_status verified, expires_at in the future, newest first, limit 1; select id where verified; insert id_verifications row. [T-21]',
      '7.28': 'storage upload to bucket id-verifications at path {userId}/{sanitized name}_{timestamp}_id.jpg. [T-22]',
      '7.29':
        'rpc validate_discount_code with code_input and booking_hours; returns rows with is_valid, error_message and coupon fields.',
      '7.30': 'select audit_logs all, created_at descending, limit 100.',
      '7.31':
        'select discount_codes all, created_at descending; insert discount_codes (code, discount_type, discount_value, description, min_hours, max_uses, expires_at ISO or null); update discount_codes by id; update active by id.',
      '7.32': 'select booking_access_codes with bookings and studios(name), limit 10; insert scheduled_emails.',
    },
    'Server functions': {
      '7.33': 'create-payment (booking page): body {bookingData, customerData{full_name,email,phone,address}}.',
      '7.34':
        'create-payment (checkout): body {amount, description, customerEmail, customerName, metadata{studioId, studioName, totalHours, startTime, endTime, couponCode, userId, subtotal, discount, couponDiscount}}, with a bearer authorization header when a session exists. Response url, then redirect. [T-19, T-30]',
      '7.35': 'create-verification-session: body {bookingData}; response verificationSessionId, verificationUrl.',
      '7.36': 'check-verification-and-checkout: body {verificationSessionId}; response verified, checkoutUrl, error.',
      '7.37':
        'verify-id: body {idImage, userId}; response verification_status, extractedData{fullName, firstName, middleName, lastName, dateOfBirth, expiryDate}, isOver18, age, isExpired, isNswLicense, nameMatchStatus, nameMatchDetails, profileDob, dobMatches, aiRawResponse, aiConfidenceScore, failureReasons. [T-21, T-22]',
      '7.38': 'verify-payment: body {sessionId}; response paid. [T-32]',
      '7.39': 'generate-access-code: body {bookingId, startTime, endTime, customerName}; response pinCode. [T-52]',
      '7.40':
        'send-booking-confirmation: body {customerEmail, customerName, isGuest, booking{studioName, studioDescription, selectedSlots[{date, timeSlots}], total, duration, discount{percentage, amount}}}. [T-58]',
      '7.41':
        'send-access-code-email: body {customerEmail, customerName, pinCode, studioName, bookingDate, bookingTime, endTime}. [T-58]',
      '7.42': 'process-scheduled-emails: response processed. [T-59]',
      '7.43':
        'test-igloohome-config, test-igloohome-oauth, test-igloohome-pin: response success, message, error, pinData (pin, pinId, deviceId, startTime), response. [T-62]',
      '7.44': 'test-smart-plug: response success, error. [T-61]',
      '7.45': 'manual-power-control: body action turn_on or turn_off; response success, message. [T-61]',
      '7.46':
        'regenerate-pin: GET with query booking_id and the anonymous key as bearer; JSON response as in section 3. [T-49, T-50]',
    },
  },
};
