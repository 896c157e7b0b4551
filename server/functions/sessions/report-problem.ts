import { reportProblem as contract } from '#contracts/sessions/report-problem.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { reportProblem as storeReport } from '#server/operations/incidents/report-problem.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const reportProblem = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => ({
    reportId: await storeReport(booking, body, signedIn(caller).userId),
  }),
);
