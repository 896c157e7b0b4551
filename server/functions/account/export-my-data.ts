import { exportMyData as contract } from '#contracts/account/export-my-data.ts';
import { type AccountContext, exportAccount } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { jsonFile } from '../responses.ts';

type Context = { account: AccountContext };

export const exportMyData = defineHandler(contract, async ({ account }: Context, { caller }) =>
  jsonFile(await exportAccount(account, signedIn(caller).userId), 'my-data'),
);
