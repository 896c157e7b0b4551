import { settings, venue } from './venue.ts';

/** The terms customers accept; a new version asks everybody again. */
export const terms = {
  version: settings.termsVersion,
  lastUpdated: 'October 2025',
  sections: [
    {
      title: 'Booking and payment',
      text: 'Payment is made in full when you book. Your booking is confirmed once your payment has arrived. Prices are in Australian dollars and include GST where it applies.',
    },
    {
      title: 'Cancellation',
      text: `You may cancel up to ${settings.freeCancelHours} hours before your session starts and get your money back in full: use the button in your account, or write to ${venue.email}. Later than that, please write to us.`,
    },
    {
      title: 'Who may come',
      text: 'Up to 5 people may be in a studio at a time. The person who booked is responsible for everyone in the room.',
    },
    {
      title: 'Access',
      text: 'The studios are open 24/7 by smart lock. Your access code is yours alone: please do not pass it on. The door locks behind you; you can make a new code on your code page while your session runs.',
    },
    {
      title: 'Age and ID',
      text: 'You must be 18 or older. We check an Australian driver licence before your first session. The photo is read and deleted; if a person has to look at it, it is deleted within 7 days.',
    },
    {
      title: 'Care of the studio',
      text: 'Leave the room as you found it and end on time. You pay for damage beyond fair wear. No smoking, and no drinks on the equipment.',
    },
    {
      title: 'Your rights',
      text: 'Nothing in these terms takes away rights you have under the Australian Consumer Law.',
    },
    { title: 'Law', text: 'The law of New South Wales applies.' },
  ],
} as const;
