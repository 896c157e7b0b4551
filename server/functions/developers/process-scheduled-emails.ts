import { processScheduledEmails as contract } from '#contracts/developers/process-scheduled-emails.ts';
import { defineHandler } from '../handler.ts';

type Context = { readonly drain: () => Promise<number> };

export const processScheduledEmails = defineHandler(contract, async ({ drain }: Context) => ({
  processed: await drain(),
}));
