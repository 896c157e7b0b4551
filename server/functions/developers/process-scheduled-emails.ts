import { processScheduledEmails as contract } from '#contracts/developers/process-scheduled-emails.ts';
import { defineHandler } from '../handler.ts';

export const processScheduledEmails = defineHandler(contract, async (services) => ({
  processed: await services.drain(),
}));
