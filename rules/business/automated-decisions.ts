/**
 * A kind of decision that the program makes, or substantially helps people to make, and that can significantly affect a person. The privacy
 * page has to name these since 10 December 2026 (Privacy Act 1988, Australian Privacy Principles 1.7 to 1.9). A refusal counts as a
 * decision. Each sentence describes the code, so change both together.
 */
export type AutomatedDecision = {
  readonly title: string;
  /** Whether the program decides alone or a person decides with its help. */
  readonly by: 'program' | 'person';
  /** What is decided, and by which rule. */
  readonly decides: string;
  /** The kinds of personal information that the program uses for the decision. */
  readonly uses: string;
  /** What staff can do after the person asks for a review. */
  readonly review: string;
};

export const AUTOMATED_DECISIONS = {
  id: {
    title: 'Whether your ID is accepted',
    by: 'person',
    decides:
      'Our program reads your driver licence and compares it with your account. It accepts a clear match on its own. It asks for another photo if it can’t read yours, and refuses an ID that has expired or ends before your session. Whenever it isn’t sure, for example about your name, someone on our team decides with its help.',
    uses: 'the photo or online check of your ID; the name, birth date and expiry on it; the name and birth date in your account',
    review: 'We look at your ID ourselves and can accept it.',
  },
  age: {
    title: 'Whether you’re old enough',
    by: 'program',
    decides:
      'Everyone who books is 18 or older. With a birth date under 18, in your account or on your ID, you can’t book.',
    uses: 'your birth date',
    review: 'If the date is wrong, we check your ID ourselves and correct it.',
  },
  lostId: {
    title: 'Whether your ID still counts',
    by: 'program',
    decides:
      'If your name or birth date changes, your ID may have to be verified again before you can book. A booking without a verified ID is cancelled about an hour before it starts, with a full refund, unless someone on our team lets it take place.',
    uses: 'changes of your name and birth date; when your ID ends; when your booking starts',
    review: 'We can verify your ID again, or let your session take place.',
  },
  block: {
    title: 'Whether you may book at all',
    by: 'person',
    decides:
      'Only people on our team decide to block someone. From then on our program refuses bookings and payments of that account, and returns a payment that still arrives.',
    uses: 'your account; the reason and the end of the block, as our team wrote them',
    review: 'We look at the reason again and can end the block.',
  },
  holds: {
    title: 'How much you can hold without paying',
    by: 'program',
    decides:
      'There’s a limit to how many hours and bookings you can hold unpaid at a time, and to how often anyone can try. Above it our program asks you to pay, release something or wait.',
    uses: 'your unpaid bookings and when you made them; your account; your network address',
    review: 'We can book the hours for you.',
  },
  coupons: {
    title: 'Whether a discount code works',
    by: 'program',
    decides:
      'A code can be for one person, some days or hours, or a number of uses, and can end. After too many wrong codes you have to wait before you can try another.',
    uses: 'the code; your email address; your bookings that used it; how many codes were tried from your account and network address',
    review: 'We check what the code promised and can give you the discount.',
  },
  waitlist: {
    title: 'Who gets hours that become free',
    by: 'program',
    decides:
      'Freed hours are held for the first on the wait list who can book them, for a quarter of an hour, then for the next. You can wait for a few sessions at a time, and hours are only held for people whose ID is verified.',
    uses: 'what you wait for and since when; whether your ID is verified; your earlier turns',
    review: 'We check the order and can find you other hours.',
  },
  refunds: {
    title: 'What you get back, and until when you can change a booking',
    by: 'program',
    decides:
      'When you cancel or move a booking, our program compares the time with the terms you booked under: all of your money, or none of it. Too late, it refuses the change.',
    uses: 'when your booking starts; the terms it was made with; what you paid',
    review: 'We look at what happened and can move your booking or refund more.',
  },
  payments: {
    title: 'Whether a payment makes a booking',
    by: 'program',
    decides:
      'A payment that fails, arrives when the hours are gone, or isn’t the price ends the booking, and the money goes back. While a payment is on its way, you can’t pay again or change the booking.',
    uses: 'your payments and their state at our payment provider; your booking',
    review: 'We check with the payment provider, and can book the hours for you or refund you.',
  },
  disputes: {
    title: 'What happens when a bank disputes a payment',
    by: 'person',
    decides:
      'If a payment for a booking to come is disputed at the bank, our program holds the access code and gathers what we know of the booking. Someone on our team decides whether the session takes place.',
    uses: 'the dispute; your booking, payments, accepted terms, ID results, and the codes and emails we sent',
    review: 'Call us or write to us before your session: we decide about it then.',
  },
  codes: {
    title: 'How many access codes you can make',
    by: 'program',
    decides: 'The locks take a limited number of new codes per booking. After the last one our program makes no more.',
    uses: 'the codes that were made for your booking',
    review: 'We can open the door for you.',
  },
  deletion: {
    title: 'When you can delete your account',
    by: 'program',
    decides: 'Not while a booking of yours is still to come or being paid for.',
    uses: 'your bookings and payments',
    review: 'We can cancel the booking with you, and delete the account for you.',
  },
} as const satisfies Record<string, AutomatedDecision>;
export type AutomatedDecisionName = keyof typeof AUTOMATED_DECISIONS;
