import { formatStudioDate, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { arrivalRows, type BookingForMail, type MailWithCalendar, arrivalBlocks, roomImage } from '../booking-parts.ts';
import { renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Sends the access code. `worksUntil`: when the session ends. `link`: the page that shows the code and can replace it. */
export function accessCodeMail(
  booking: BookingForMail,
  access: { pin: string; worksFrom: Date; worksUntil: Date; singleUse: boolean; link: string },
): MailWithCalendar {
  const until =
    studioDate(access.worksUntil) === studioDate(booking.start)
      ? formatStudioTime(access.worksUntil)
      : `${formatStudioTime(access.worksUntil)} on ${formatStudioDate(access.worksUntil, 'medium')}`;
  const once = access.singleUse
    ? 'It opens the door once, and the door locks behind you. To get back in, make a new code on your access code page.'
    : 'The door locks behind you. You can use the code again until your session ends.';
  return renderMail(booking.from, {
    subject: `Your access code for ${booking.studioName}, ${formatStudioTime(booking.start)}`,
    preheader: `Your code works from ${formatStudioTime(access.worksFrom)}.`,
    heading: `${booking.studioName} is ready for you`,
    picture: roomImage(booking),
    blocks: [
      { kind: 'code', label: 'PIN', code: access.pin },
      {
        kind: 'text',
        text: `Your code works from ${formatStudioTime(access.worksFrom)} to ${until}, Sydney time. ${once}`,
      },
      { kind: 'facts', rows: arrivalRows(booking) },
      ...arrivalBlocks(booking),
      { kind: 'button', label: 'Your access code page', href: access.link },
    ],
  });
}
accessCodeMail.previews = ({ at, booking, long, pages }: PreviewData): Previews<typeof accessCodeMail> => {
  const code = { pin: '483920175', worksFrom: at(-1 / 12), worksUntil: at(4), singleUse: true, link: pages.pin };
  return {
    '': [booking, code],
    'for a whole session': [booking, { ...code, singleUse: false }],
    long: [long, { ...code, pin: '4839201756' }],
  };
};
