import type { Section } from './section.ts';

export const entities: Section = {
  title: '3. Entities and their fields',
  parts: {
    '': {
      '3.1': 'Auth session: user, session, loading flag.',
      '3.2': 'Session holds access_token, refresh_token, expires_at, expires_in, token_type, user.',
      '3.3':
        'Sign-up data: fullName, email, phone, djName (optional), password, dateOfBirth. Stored as user metadata full_name, phone, dj_name, date_of_birth.',
      '3.4': 'profiles: id, user_id, dj_name, full_name, email, phone, address, date_of_birth.',
      '3.5': 'mailing_list: email (stored trimmed and lower-cased).',
      '3.6': 'studios: id, name, description, features (list of equipment), hourly_rate.',
      '3.7':
        'bookings: id, user_id, studio_id, studio_name, start_time, end_time, status (cancelled excluded from availability; pending seen in tests; confirmed after payment), total_hours, base_cost, discount_amount, final_cost, id_verification_id, notes, guest_email; joined studios (name, description, hourly_rate). [T-63]',
      '3.8': 'Selected slot: hour (0-23), label, date, price.',
      '3.9':
        'Booking data sent to payment: studio_id, studio_name, start_time, end_time, total_hours, base_cost, discount_amount, final_cost, slots[{hour,label,date,price}]. [T-30]',
      '3.10': 'A draft is held in browser session storage under checkoutBookingData. [T-48]',
      '3.11': 'user_verifications: id, user_id. [T-20]',
      '3.12':
        'id_verifications: id, user_id, image_path, verification_status (verified), verified_at, expires_at, created_at, extracted_full_name, extracted_first_name, extracted_middle_name, extracted_last_name, extracted_dob, extracted_expiry_date, is_over_18, age_at_verification, is_expired, is_nsw_license, name_match_status, name_match_details, profile_dob, dob_matches, ai_raw_response, ai_confidence_score (0 to 1, converted from a 0-100 value). [T-22]',
      '3.13':
        'scheduled_emails: booking_id, recipient_email, email_type (access_code), status (pending or pending_immediate), scheduled_for.',
      '3.14': 'booking_access_codes: linked to bookings (start_time, end_time, studios name); other fields not shown.',
      '3.15':
        'discount_codes: id, code, discount_type (percentage or fixed), discount_value (number), description (optional), min_hours (optional, step 0.5), max_uses (optional integer), current_uses, expires_at (optional timestamp), active (boolean), created_at.',
      '3.16':
        'Coupon validation result: id, code, discount_type, discount_value, min_hours, expires_at, max_uses, current_uses, is_valid, error_message. [T-41]',
      '3.17':
        'audit_logs: id, created_at, action (create, update, delete, or other), resource_type, resource_id, details (JSON).',
      '3.18': 'user_roles: user_id, role (admin or user); select role by user_id, single.',
      '3.19':
        'Regenerated PIN response: success, pin, pinId, booking (studio_name, start_time, end_time), error, expired.',
      '3.20': 'Profile-edit shape: fullName, email, phone.',
      '3.21': 'Coupon apply shape: code only.',
      '3.22':
        'Coupon create shape: code (upper-cased), discount_type, discount_value, description (optional), min_hours (optional), max_uses (optional integer), expires_at (optional string).',
    },
  },
};
