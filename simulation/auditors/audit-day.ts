import type { Crowd } from '../people/day.ts';
import type { World } from '../world/world.ts';
import type { Auditor } from './auditor.ts';
import { auditMoment, auditRows } from './bookings.ts';
import { auditCodes, auditStrayCodes } from './codes.ts';
import { auditConfirmations, auditRepeatedMails } from './mails.ts';
import { auditDecided, auditLedger, auditMoney, auditUnpaid } from './money.ts';
import { auditDeletedPeople, auditLog, auditPictures } from './privacy.ts';

/** All auditors by name. `promises.ts` names the promises that each checks. */
const AUDITORS = {
  rows: auditRows,
  money: auditMoney,
  unpaid: auditUnpaid,
  decided: auditDecided,
  ledger: auditLedger,
  'repeated mails': auditRepeatedMails,
  confirmations: auditConfirmations,
  codes: auditCodes,
  'stray codes': auditStrayCodes,
  pictures: auditPictures,
  'audit log': auditLog,
  'deleted people': auditDeletedPeople,
} as const satisfies Record<string, Auditor>;

export type AuditorName = keyof typeof AUDITORS;

const reported = new WeakMap<World, Set<string>>();

/** Checks the promises at the end of a day. */
export async function auditDay(world: World, crowd: Crowd, isTroubled: boolean): Promise<void> {
  await runAuditors(world, crowd, Object.values(AUDITORS), isTroubled);
}

/** Checks what must hold at every moment, unless the server is down. */
export async function auditNow(world: World, crowd: Crowd): Promise<void> {
  if (world.run?.owner.isAlive === true) await runAuditors(world, crowd, [auditMoment], true);
}

async function runAuditors(
  world: World,
  crowd: Crowd,
  auditors: readonly Auditor[],
  isTroubled: boolean,
): Promise<void> {
  const { run, time } = world;
  if (run?.owner.isAlive !== true) throw new Error('the server must be up for the audit');
  const earlier = reported.get(world) ?? new Set<string>();
  reported.set(world, earlier);
  const report = (promise: string, what: string): void => {
    if (earlier.has(what)) return;
    earlier.add(what);
    world.report(promise, what);
  };
  for (const audit of auditors) {
    const work = Promise.resolve(audit({ world, crowd, db: run.app.db, report, isTroubled }));
    await time.until(Promise.race([work, run.owner.ended]));
  }
}
