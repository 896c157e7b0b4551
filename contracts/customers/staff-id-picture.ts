import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

export const staffIdPicture = defineCall({
  name: 'staff-id-picture',
  summary: 'Answers with the picture of an ID that waits for a decision: the bytes of a JPEG. Each call is recorded.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'identity',
  limit: { max: 60, seconds: 60 },
  body: z.object({ verificationId: z.uuid() }),
  answer: z.never(),
  files: ['application/octet-stream'],
  refusals: { not_found: { message: 'The picture has been deleted.' } },
  example: { body: { verificationId: '77777777-7777-4777-8777-777777777777' } },
});
