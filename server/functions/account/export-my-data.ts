import { exportMyData as contract } from '#contracts/account/export-my-data.ts';
import { exportAccount } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { jsonFile } from '../responses.ts';

export const exportMyData = defineHandler(contract, async (services, { caller }) =>
  jsonFile(await exportAccount(services.customerClass, signedIn(caller).userId), 'my-data'),
);
