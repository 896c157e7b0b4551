import type { Section } from './section.ts';

export const beyond: Section = {
  title: '10. Beyond the specification',
  note: 'What customers can do that the specification does not have, from the first look to the next booking.',
  parts: {
    Finding: {
      '10.1':
        'All rooms of a day are shown on one timeline, as an alternative to the view of a single room. A span in any room is chosen by tap, mouse or keyboard.',
      '10.2':
        'A day begins at the current hour, with past hours folded away. The price of tonight on the landing page leads to its hour.',
      '10.3':
        'A search in any room offers the best three spans with their reasons, and the last choice can be repeated with one tap.',
      '10.4':
        'A series of up to eight weeks is one order with one hold and one payment session. It is settled as a whole, and each of its bookings can change separately.',
      '10.5': 'Customers who wait for taken hours are asked in order. Each has 15 minutes to claim the hours.',
    },
    'After booking': {
      '10.6': 'Each booking has its own page with its history, its payments and everything that can be done with it.',
      '10.7':
        'Each payment has an invoice or receipt and each refund an adjustment note, equal to the ledger to the cent.',
      '10.8':
        'Customers move and extend their bookings. The old hours are released only once the new ones are certain and paid.',
      '10.9':
        'A booking is cancelled by the terms under which it was made, and the page says beforehand how much is refunded.',
      '10.10':
        'Reminders are sent by email a day before and by text message two hours before. Each kind can be switched off separately.',
      '10.11': 'A booking can be added to a calendar, by a link and by a file.',
      '10.12':
        'Where keys are configured, a confirmed booking can be saved as a pass in a wallet, without its access code.',
      '10.13': 'A saved pass is updated when the booking moves or is cancelled, in both wallets.',
      '10.14':
        'Up to four guests are invited by a link. Where there is a bridge, each guest who accepts the terms gets their own code. The host can withdraw any invitation, and staff see who comes.',
    },
    'At the door and inside': {
      '10.15':
        'The page at the door has a large PIN and help with a door that does not open. It works without a network until the session ends.',
      '10.16':
        'During the session a customer sees the time that remains, switches the lights of the room, adds an hour with one tap, and gets a quiet or loud warning of the end.',
      '10.17':
        'A problem or lost property is reported with photos, staff are alerted, and the customer reads the answer.',
      '10.18':
        'After the session one question is asked. The session is rated once, and the rating can be changed for a week.',
    },
    Account: {
      '10.19': 'Cards are saved with the payment provider, pay for a change with one tap, and can be removed.',
      '10.20': 'The phone number for text messages can be verified, changed and removed.',
      '10.21':
        'Customers download their data and delete their account. The page names what the law requires us to keep; the rest is deleted at once.',
      '10.22': 'Each signed-in device is listed. A device that is signed out from another one shows it at once.',
      '10.23': 'An ID that is under review by a person shows its state and the time of the decision.',
    },
  },
};
