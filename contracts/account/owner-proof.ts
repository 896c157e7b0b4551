/** The refusals of calls that require a proof of ownership (`proofFields`). */
export const proofRefusals = {
  not_found: { message: 'Account not found' },
  second_factor_required: { message: 'Sign in again with your second step first.' },
  current_password_required: { message: 'Please enter your current password.' },
  current_password_invalid: { message: 'Your current password is incorrect.' },
  reauthentication_needed: {
    message: 'Your account has no password, and you signed in a while ago. Please sign in again first.',
  },
  reauthentication_not_valid: { message: 'Nonce has expired or is invalid' },
} as const;
