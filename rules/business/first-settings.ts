import { type BusinessSettings, firstBusiness, firstHoldLimits } from './business.ts';
import { firstPrivacy } from './privacy.ts';
import { firstTerms } from './terms.ts';

/** All settings that the business begins with: the first row of `public.business_settings`. */
export const firstSettings: BusinessSettings = {
  ...firstBusiness,
  ...firstHoldLimits,
  arrivalNotes: '',
  // Sales in Xero's standard chart of accounts.
  salesAccount: '200',
  terms: firstTerms,
  privacy: firstPrivacy,
};
