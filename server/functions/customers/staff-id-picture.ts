import { staffIdPicture as contract } from '#contracts/customers/staff-id-picture.ts';
import { viewPicture } from '#server/operations/identity/view-picture.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffIdPicture = defineHandler(contract, async (services, { caller, body }) => {
  const picture = await viewPicture(services.customerClass, body.verificationId, getActor(caller));
  // supabase-js would decode a response with an image type as text.
  return new Response(Buffer.from(picture), {
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
  });
});
