import { crewRevoke as contract } from '#contracts/crew/crew-revoke.ts';
import { revokeCrew } from '#server/operations/crew/links.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const crewRevoke = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { sawShared } = await revokeCrew(services, { userId, ...body });
  return { revoked: true as const, sawShared };
});
