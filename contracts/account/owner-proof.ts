/** The refusals of calls that need a proof of the owner (`proofFields`). */
export const proofRefusals = {
  not_found: { message: 'Account not found' },
  not_yours: { message: 'Updating email, phone, password of a SSO account only possible via SSO' },
  second_factor_required: { message: 'Sign in again with your second step first.' },
  current_password_required: { message: 'Please enter your current password.' },
  current_password_invalid: { message: 'Your current password is incorrect.' },
  reauthentication_not_valid: { message: 'Nonce has expired or is invalid' },
} as const;
