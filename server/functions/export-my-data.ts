import { type AccountContext, exportAccount } from '#server/operations/customers/account.ts';
import type { ServerFunction } from './function.ts';
import { signedIn } from './requests.ts';
import { jsonFile } from './responses.ts';

const LIMIT = { name: 'export-my-data', max: 10, seconds: 60 };

/** Answers with all that is stored about the caller, as a JSON file. */
export function exportMyData({ account }: { account: AccountContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    handle: async ({ caller }) => jsonFile(await exportAccount(account, signedIn(caller).userId), 'my-data'),
  };
}
