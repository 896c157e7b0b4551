import { verifyId as contract } from '#contracts/identity/verify-id.ts';
import { checkPhoto } from '#server/operations/identity/check-photo.ts';
import { readDataUrl } from '#server/operations/identity/photo.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { splitNames } from '#server/operations/identity/licence-names.ts';

export const verifyId = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const bytes = readDataUrl(body.idImage);
  const { id, reading, judgement, reasons, profileBirthDate } = await checkPhoto(services.customerClass, userId, bytes);
  return {
    verificationId: id,
    decision: judgement.decision,
    isFinal: judgement.isFinal,
    hostedCheck: services.hostedChecks !== null,
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
  };
});
