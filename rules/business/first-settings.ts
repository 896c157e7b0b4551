import type { Business, BusinessSettings, HoldLimits } from './business.ts';
import { constants, venue } from '../venue.ts';
import { firstPrivacy } from './privacy.ts';
import { firstTerms } from './terms.ts';

/** The initial details of the business. */
export const firstBusiness: Business = {
  name: venue.name,
  legalName: venue.legalName,
  abn: venue.abn,
  address: venue.address,
  directions: '',
  directionsPhoto: '',
  directionsPhotoText: '',
  phone: '',
  email: venue.email,
  instagram: venue.instagram,
  notice: '',
  holdMinutes: constants.holdMinutes,
  horizonDays: constants.horizonDays,
  freeCancelHours: constants.freeCancelHours,
  termsVersion: constants.termsVersion,
};

/** The initial limits on holds. */
export const firstHoldLimits: HoldLimits = {
  maxLiveHolds: constants.maxLiveHolds,
  holdsPerHour: constants.holdsPerHour,
  maxUnpaidHours: constants.maxUnpaidHours,
  maxUnpaidHoursOfBooking: constants.maxUnpaidHoursOfBooking,
};

/** All initial settings: the first row of `public.business_settings`. */
export const firstSettings: BusinessSettings = {
  ...firstBusiness,
  ...firstHoldLimits,
  arrivalNotes: '',
  // The account for sales in Xero's standard chart of accounts.
  salesAccount: '200',
  terms: firstTerms,
  privacy: firstPrivacy,
};
