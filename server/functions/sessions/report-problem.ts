import { reportProblem as contract } from '#contracts/sessions/report-problem.ts';
import { reportProblem as storeReport } from '#server/operations/incidents/report-problem.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const reportProblem = defineHandler(contract, async (services, { caller, body }) => ({
  reportId: await storeReport(services, body, signedIn(caller).userId),
}));
