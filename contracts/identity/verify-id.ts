import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

/** Characters of base64 that an image may have: 10 MB are 13.4 million characters, plus some margin. */
const IMAGE_MAX = 14_100_000;
const decision = z.enum(['verified', 'review', 'failed']);

export const verifyId = defineCall({
  name: 'verify-id',
  summary:
    'Checks a licence photo of the caller: reads it, compares it with the profile and stores the decision. A ' +
    '`userId` in the body is ignored.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 10, seconds: 3600 },
  /** The image, plus 64 KiB for the rest of the body. */
  bodyMax: IMAGE_MAX + 64 * 1024,
  body: z.looseObject({
    idImage: z.string().min(30).max(IMAGE_MAX).describe('A JPEG, PNG or WebP picture as a `data:` URL.'),
  }),
  answer: z.strictObject({
    verificationId: z.uuid(),
    decision,
    isFinal: z.boolean().describe('No other photo can change the decision: under 18 by the licence.'),
    hostedCheck: z.boolean().describe('Whether the check on the provider’s own page is available.'),
    verification_status: decision.describe('The same as `decision`.'),
    extractedData: z.strictObject({
      fullName: z.string().nullable(),
      firstName: z.string().nullable(),
      middleName: z.string().nullable(),
      lastName: z.string().nullable(),
      dateOfBirth: z.string().nullable().describe('As it was read, `YYYY-MM-DD`.'),
      expiryDate: z.string().nullable().describe('As it was read, `YYYY-MM-DD`.'),
    }),
    isOver18: z.boolean(),
    age: z.int().nullable(),
    isExpired: z.boolean(),
    isNswLicense: z.boolean(),
    nameMatchStatus: z.enum(['match', 'partial', 'mismatch']),
    nameMatchDetails: z.string(),
    profileDob: z.iso.date().nullable().describe('The date of birth of the profile.'),
    dobMatches: z.boolean(),
    aiRawResponse: z.null(),
    aiConfidenceScore: z.number().describe('How sure the reader is, 0 to 100.'),
    failureReasons: z.array(z.string()).describe('Sentences for the customer.'),
  }),
  refusals: {
    age_required: {
      message:
        'Your licence says you turn 18 on Sunday 4 May 2031. You can book from that day. If we read it wrong, ' +
        'please email studio@example.com.',
    },
    image_refused: { message: 'We couldn’t read this photo. Please use a JPEG, PNG or WebP file.' },
  },
  example: {
    body: { idImage: 'data:image/jpeg;base64,/9j/4AAQSkZJRgABAQ==' },
    answer: {
      verificationId: '66666666-6666-4666-8666-666666666666',
      decision: 'review',
      isFinal: false,
      hostedCheck: true,
      verification_status: 'review',
      extractedData: {
        fullName: 'Sam Alex Customer',
        firstName: 'Sam',
        middleName: 'Alex',
        lastName: 'Customer',
        dateOfBirth: '1990-01-02',
        expiryDate: '2033-04-05',
      },
      isOver18: true,
      age: 41,
      isExpired: false,
      isNswLicense: true,
      nameMatchStatus: 'partial',
      nameMatchDetails: 'Part of the name is the same.',
      profileDob: '1990-01-02',
      dobMatches: true,
      aiRawResponse: null,
      aiConfidenceScore: 87,
      failureReasons: ['The name on your ID does not match your account.'],
    },
  },
});
