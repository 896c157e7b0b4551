import type { Article } from './business.ts';

/** The initial terms of the business. `fillText` fills in the details of the business. */
export const firstTerms: readonly Article[] = [
  {
    title: 'Booking and payment',
    text: 'Payment is made in full when you book. Your booking is confirmed once your payment has arrived. Prices are in Australian dollars and include GST where it applies.',
  },
  {
    title: 'Cancellation',
    text: 'You can cancel up to {cancelHours} hours before your session starts for a full refund: use the button in your account, or write to {email}. After that, please contact us.',
  },
  {
    title: 'Your guests',
    text: 'Up to 5 people can be in a studio at a time. The person who booked is responsible for everyone in the room.',
  },
  {
    title: 'Access',
    text: 'The studios are open 24/7 by smart lock. Your access code is yours alone: please don’t share it. The door locks behind you. You can make a new code on your access code page until your session ends.',
  },
  {
    title: 'Age and ID',
    text: 'You must be 18 or older. We check an Australian driver licence before your first session. We read the photo and delete it. If someone has to look at it, we delete it within 7 days.',
  },
  {
    title: 'Care of the studio',
    text: 'Leave the room as you found it and end on time. You pay for any damage beyond fair wear and tear. No smoking, and no drinks on the equipment.',
  },
  {
    title: 'Your rights',
    text: 'Nothing in these terms takes away rights you have under the Australian Consumer Law.',
  },
  { title: 'Law', text: 'The law of New South Wales applies.' },
];
