import type { Principal } from '#server/db/database.ts';
import type { Member } from '../core/token.ts';

/** Returns the principal of a member, with the settings that policies may read in the service that this API mirrors. */
export function toPrincipal(member: Member, settings: Readonly<Record<string, string>> = {}): Principal {
  const { sub } = member.claims;
  const subject = typeof sub === 'string' ? sub : '';
  return {
    role: member.role,
    claims: JSON.stringify(member.claims),
    caller: subject === '' ? `role:${member.role}` : `user:${subject}`,
    settings: {
      'request.jwt.claim.sub': subject,
      'request.jwt.claim.role': member.role,
      'request.headers': '{}',
      ...settings,
    },
  };
}
