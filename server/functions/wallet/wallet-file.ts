import { walletFile as contract } from '#contracts/wallet/wallet-file.ts';
import { readPassFile } from '#server/operations/wallet/wallet-pass.ts';
import { defineHandler } from '../handler.ts';
import { fileResponse } from '../responses.ts';

export const walletFile = defineHandler(contract, async (services, { url }) => {
  const token = url.searchParams.get('token') ?? '';
  const { file, name } = await readPassFile(services, token);
  return fileResponse(new Uint8Array(file), 'application/vnd.apple.pkpass', name);
});
