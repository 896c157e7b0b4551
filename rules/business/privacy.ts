import type { Article } from './business.ts';

/** The initial text of the privacy page: what the program does with personal data. Each sentence describes the code, so change both together. */
export const firstPrivacy: readonly Article[] = [
  {
    title: 'What we keep',
    text: `Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking, the phone number you gave at checkout.

Your bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in readable form.

Of guests you invite to a booking, the first name each of them gives us. You and our team see it. We delete it 30 days after the session, or with your account.

Of phones that have a booking in Apple Wallet, a scrambled form of the number by which Apple Wallet tells phones apart, and where Apple reaches it, so the pass can follow your booking. We delete both when you remove the pass, 30 days after the session, or with your account.

A log of what was done on your account and by whom, so we can sort out any disagreement.`,
  },
  {
    title: 'Your ID',
    text: `We check your Australian driver licence before your first session. Our own server reads the photo, and we delete it within an hour of the result. If someone on our team has to look at it, we delete it once they’ve decided, and after 7 days at the latest.

We keep that you were verified, until when, and the name and dates we read.`,
  },
  {
    title: 'Your card',
    text: 'You enter it on our payment provider’s page. We never see the number, only whether you paid. If you choose to save it there, we can read its brand, last four digits and expiry from them, to show you. You can remove it in your account, and we remove it with your account.',
  },
  {
    title: 'News by email',
    text: 'Only if you signed up for it. We keep your address and when you agreed. Every email has a link to unsubscribe, or you can email {email}.',
  },
  {
    title: 'In your browser',
    text: 'Your sign-in, and a booking you’ve started. There’s no advertising and no tracking, and no one else’s scripts run on our pages.',
  },
  {
    title: 'Who else sees it',
    text: 'The companies that run payments, online ID checks, door locks, email and text messages for us. Each sees only what it needs. If you save a booking to Google Wallet, Google gets what the pass shows: room, time, address and reference, and hears when it changes. Of a booking in Apple Wallet, Apple only hears that it changed. We never sell your data.',
  },
  {
    title: 'How long',
    text: 'For as long as you have an account. We keep invoices for as long as tax law says. Your ID verification ends when your licence expires, and after 24 months at the latest.',
  },
  {
    title: 'Your rights',
    text: 'In your account you can download what we keep about you, correct it, see and sign out your devices, choose which emails and texts you get, and delete the account. For anything else, email {email}. If you’re not happy with our answer, you can contact the Office of the Australian Information Commissioner.',
  },
];
