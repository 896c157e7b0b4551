import type { AuditorName } from './auditors/audit-day.ts';

/** How the simulation checks a promise: by auditors, while people act (`people`), or not at all and why. */
type Check = { readonly by: readonly (AuditorName | 'people')[] } | { readonly not: string };

const SQL_CONCURRENCY = 'the embedded engine has one connection: tests on PostgreSQL check it';
const NO_BROWSER = 'there is no browser';
const OPERATING = 'it concerns machines, disks or releases: the tests of operating check it';
const ATTACKS = 'no one attacks: the tests of policies, attacks and fuzzing check it';

/** All promises of the product, each with what checks it here. */
export const PROMISES: Readonly<Record<string, Check>> = {
  G1: { by: ['rows'] },
  G2: { by: ['rows'] },
  G3: { by: ['money'] },
  G4: { by: ['unpaid'] },
  G5: { by: ['people', 'money'] },
  G6: { by: ['rows'] },
  G7: { by: ['rows'] },
  G8: { by: ['stray codes'] },
  G9: { not: ATTACKS },
  G10: { by: ['repeated mails', 'confirmations'] },
  G11: { by: ['codes'] },
  G12: { by: ['rows', 'money'] },
  G13: { by: ['money', 'confirmations'] },
  G14: { not: OPERATING },
  G15: { not: OPERATING },
  G16: { not: OPERATING },
  G17: { not: OPERATING },
  G18: { not: ATTACKS },
  G19: { not: ATTACKS },
  G20: { not: 'pictures are replaced by texts' },
  G21: { not: ATTACKS },
  G22: { not: ATTACKS },
  G23: { not: ATTACKS },
  G24: { not: ATTACKS },
  G25: { not: 'the hashing of passwords is replaced' },
  G26: { not: ATTACKS },
  G27: { not: ATTACKS },
  G28: { not: 'one server runs at a time: tests with several processes check it' },
  G29: { by: ['rows', 'codes'] },
  G30: { not: 'there is one clock' },
  G31: { by: ['rows', 'money'] },
  G32: { by: ['people'] },
  G33: { not: ATTACKS },
  G34: { not: NO_BROWSER },
  G35: { not: NO_BROWSER },
  G36: { not: ATTACKS },
  G37: { not: OPERATING },
  G38: { not: OPERATING },
  G39: { by: ['audit log'] },
  G40: { by: ['pictures', 'deleted people'] },
  G41: { by: ['rows'] },
  G42: { by: ['people'] },
  G43: { not: SQL_CONCURRENCY },
  G44: { not: 'no one listens to live changes here' },
  G45: { not: OPERATING },
  G46: { not: ATTACKS },
  G47: { not: ATTACKS },
  G48: { by: ['rows'] },
  G49: { not: OPERATING },
  G50: { not: 'the faults of this folder measure it' },
  G51: { by: ['decided'] },
  G52: { by: ['rows'] },
  G53: { not: OPERATING },
  G54: { not: NO_BROWSER },
  G55: { by: ['money', 'ledger'] },
  G56: { by: ['stray codes'] },
};
