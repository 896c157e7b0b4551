import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Prints everything that pages or the server derive from time as one text, which must not depend on the process's time zone. */
const SCRIPT = `
  const [time, slots, pricing, access, people, identity, cancellation] = await Promise.all(
    ['studio-time', 'slots', 'pricing', 'access', 'people', 'identity', 'cancellation'].map((name) => import('./rules/' + name + '.ts')));
  const hourCents = Array.from({ length: 168 }, (_, at) => 100 + at);
  const rates = { lists: [{ validFrom: '2000-01-01', hourCents, volumePercents: [] }], specialDays: [] };
  const out = [];
  for (const date of ['2026-04-04', '2026-04-05', '2026-10-03', '2026-10-04', '2026-11-21', '2027-04-04', '2027-10-03']) {
    out.push([date, time.getWeekday(date), time.addDays(date, 1), time.dayBounds(date), time.formatStudioDate(date)]);
    for (let hour = 0; hour < 24; hour += 1) {
      const start = time.slotStart(date, hour);
      out.push([hour, start]);
      if (!start) continue;
      const end = time.slotEnd(date, hour);
      const now = new Date(start.getTime() + 31 * 60000);
      out.push([end, time.studioDate(start), time.studioHour(start), time.formatStudioTime(start), time.formatStudioRange(start, end),
        slots.slotsOfSpan(start, end), slots.slotClosed({ date, hour }, now, 90), slots.slotTaken({ date, hour }, [{ start, end }]),
        pricing.quoteSlots([{ date, hour }, slots.nextSlot({ date, hour })], rates).totalCents, cancellation.cancellationTerms(start, now, 24),
        access.accessTimes({ start, end, bookedAt: new Date(0), studioFreeBefore: true, capabilities: { granularityMinutes: 1, endEnforced: true } })]);
    }
    out.push([people.ageOn('2008-10-04', date), identity.verificationExpiry('2027-01-31', date), time.parseInstant(date + 'T01:00:00+11:00')]);
  }
  console.log(new Date(2026, 0, 1).toISOString());
  console.log(JSON.stringify(out));
`;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns New Year in the process's own time zone, and the output of the script. */
async function inZone(zone: string): Promise<{ newYear: string; rules: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd: root,
    env: { ...process.env, TZ: zone },
    maxBuffer: 8_000_000,
  });
  const [newYear = '', rules = ''] = stdout.split('\n');
  return { newYear, rules };
}

describe('the rules in a process in another time zone', () => {
  it('give the same results in Perth, London and Los Angeles as in Sydney', async () => {
    const sydney = await inZone('Australia/Sydney');
    expect(sydney.rules.length).toBeGreaterThan(20_000);
    for (const zone of ['Australia/Perth', 'Europe/London', 'America/Los_Angeles']) {
      const there = await inZone(zone);
      expect(there.newYear, `${zone} must really be another zone`).not.toBe(sydney.newYear);
      expect(there.rules === sydney.rules, `the rules differ in ${zone}`).toBe(true);
    }
  });
});
