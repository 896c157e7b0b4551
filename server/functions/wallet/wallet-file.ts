import { walletFile as contract } from '#contracts/wallet/wallet-file.ts';
import { readPassFile } from '#server/operations/wallet/wallet-pass.ts';
import { defineHandler } from '../handler.ts';
import { fileOf } from '../responses.ts';

export const walletFile = defineHandler(contract, async (services, { url }) => {
  const token = url.searchParams.get('token') ?? '';
  const { file, name } = await readPassFile(services, token);
  return fileOf(new Uint8Array(file), 'application/vnd.apple.pkpass', name);
});
