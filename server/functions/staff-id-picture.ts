import { z } from 'zod';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { viewPicture } from '#server/operations/identity/view-picture.ts';
import { actorOf, parse } from './requests.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-id-picture', max: 60, seconds: 60 };
const bodySchema = z.object({ verificationId: z.uuid() });

/** Returns the picture of an ID that waits for a decision: the bytes of a JPEG. Each call is logged. */
export function staffIdPicture({ identity }: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'identity',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { verificationId } = parse(bodySchema, body);
      const picture = await viewPicture(identity, verificationId, actorOf(caller));
      // supabase-js would read an image type as text.
      return new Response(Buffer.from(picture), {
        headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
      });
    },
  };
}
