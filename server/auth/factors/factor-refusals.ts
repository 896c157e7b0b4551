import { AuthRefusal } from '../core/errors.ts';
import { factorNames, type FactorType } from './factor-rows.ts';

/** Returns the error for a type of factor that this server does not accept. */
export function factorDisabled(type: FactorType): AuthRefusal {
  return new AuthRefusal(
    422,
    `mfa_${type}_verify_not_enabled`,
    `MFA verification is disabled for ${factorNames[type]}`,
  );
}

const WRONG_ANSWERS: Readonly<Record<FactorType, string>> = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'WebAuthn credential could not be verified',
};
export function wrongAnswer(type: FactorType): AuthRefusal {
  return new AuthRefusal(422, 'mfa_verification_failed', WRONG_ANSWERS[type]);
}
