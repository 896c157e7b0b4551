import { z } from 'zod';
import { checkPhoto } from '#server/operations/identity/check-photo.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { splitNames } from '#server/operations/identity/licence-names.ts';
import { readDataUrl } from '#server/operations/identity/photo.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'verify-id', max: 10, seconds: 3600 };
/** 10 MB of picture are 13.4 million characters of base64. */
const IMAGE_MAX = 14_100_000;
/** The picture, and 64 KiB for the rest of the body. */
const BODY_MAX = IMAGE_MAX + 64 * 1024;
const bodySchema = z.looseObject({ idImage: z.string().min(30).max(IMAGE_MAX) });

/** Checks a licence photo of the caller; a `userId` in the body is ignored. */
export function verifyId(context: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    bodyMax: BODY_MAX,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { idImage } = parse(bodySchema, body);
      const bytes = readDataUrl(idImage);
      const { id, reading, judgement, reasons, profileBirthDate } = await checkPhoto(context.identity, userId, bytes);
      return json({
        verificationId: id,
        decision: judgement.decision,
        isFinal: judgement.isFinal,
        hostedCheck: context.identity.checks !== null,
        verification_status: judgement.decision,
        extractedData: {
          ...splitNames(reading),
          dateOfBirth: reading.dateOfBirth.iso,
          expiryDate: reading.expiry.iso,
        },
        isOver18: judgement.isOver18,
        age: judgement.age,
        isExpired: judgement.isExpired,
        isNswLicense: judgement.isNsw,
        nameMatchStatus: judgement.nameMatch.status,
        nameMatchDetails: judgement.nameMatch.details,
        profileDob: profileBirthDate,
        dobMatches: judgement.dobMatches,
        aiRawResponse: null,
        aiConfidenceScore: reading.confidence,
        failureReasons: reasons,
      });
    },
  };
}
