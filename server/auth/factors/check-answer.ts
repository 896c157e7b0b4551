import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import { readAssertion } from '../webauthn/assertion.ts';
import type { StoredCredential } from '../webauthn/credential.ts';
import { readRegistration } from '../webauthn/registration.ts';
import type { ChallengeRow } from './challenge-rows.ts';
import { factorCodeHash } from './factor-codes.ts';
import type { FactorRow } from './factor-rows.ts';
import { totpEncryption } from './totp-secrets.ts';
import { totpStep } from './totp.ts';
import type { AuthContext } from '../core/context.ts';

/** The answer to a challenge: a code, or the response of a security key. */
type FactorAnswer = { readonly code: string; readonly credential: unknown };
/** The update of a factor after a right answer. */
export type FactorUpdate = { readonly step?: number; readonly credential?: StoredCredential };

/** Checks an answer. Returns the update of the factor, or null if the answer is wrong. */
export async function checkAnswer(
  context: AuthContext,
  factor: FactorRow,
  challenge: ChallengeRow,
  { code, credential }: FactorAnswer,
): Promise<FactorUpdate | null> {
  switch (factor.factor_type) {
    case 'totp':
      return checkTotp(context, factor, code);
    case 'phone': {
      const hash = factorCodeHash(context, challenge.id, code);
      return equalInConstantTime(hash, challenge.code_hash ?? '') ? {} : null;
    }
    case 'webauthn':
      return checkKey(context, factor, challenge.web_authn_challenge ?? '', credential);
  }
}

/** Checks a TOTP code. Each code is accepted once, because its time step must be later than that of the last accepted code. */
function checkTotp(context: AuthContext, factor: FactorRow, code: string): FactorUpdate | null {
  const secret = totpEncryption(context).decrypt(factor.secret ?? '', factor.id);
  const step = totpStep(secret, code, context.clock());
  return step !== null && step > factor.last_step ? { step } : null;
}

async function checkKey(
  { config }: AuthContext,
  factor: FactorRow,
  challenge: string,
  response: unknown,
): Promise<FactorUpdate | null> {
  const registered = factor.web_authn_credential;
  if (factor.status === 'unverified' || registered === null) {
    const created = await readRegistration(config.relyingParty, response, challenge, 'factor');
    if (created === null) return null;
    const { id, publicKey, counter, transports } = created;
    return { credential: { id, publicKey, counter, transports } };
  }
  const proof = await readAssertion(config.relyingParty, response, challenge, registered, 'factor');
  return proof && { credential: { ...registered, counter: proof.counter } };
}
