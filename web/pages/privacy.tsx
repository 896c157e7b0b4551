import { venue } from '#rules/venue.ts';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';

const mail = (
  <a href={`mailto:${venue.email}`} className="text-chalk underline decoration-edge underline-offset-4">
    {venue.email}
  </a>
);

/** What the program does with what it knows of people; each sentence is true of the code, so change both together. */
const SECTIONS = [
  {
    title: 'What we keep',
    text: (
      <>
        <p>
          Your account: name, e-mail, phone number, date of birth and, if you gave one, your DJ name. With each booking,
          the phone number you gave at checkout.
        </p>
        <p>
          Your bookings, what was paid for them, and which codes were made for the door, never their digits in clear.
        </p>
        <p>A log of what was done with an account and by whom, so that a quarrel can be settled.</p>
      </>
    ),
  },
  {
    title: 'Your ID',
    text: (
      <>
        <p>
          We check an Australian driver licence before your first session. The picture is read on our own server and
          deleted within an hour of the result. If a person has to look at it, it is deleted once decided, after 7 days
          at the latest.
        </p>
        <p>What stays is that you were verified, until when, and the name and dates that were read.</p>
      </>
    ),
  },
  {
    title: 'Your card',
    text: <p>You enter it with our payment provider. We never see its number, only whether you paid.</p>,
  },
  {
    title: 'News by e-mail',
    text: (
      <p>
        Only if you asked for it. We keep the address and when you agreed. Every such mail has a link that ends it; or
        write to {mail}.
      </p>
    ),
  },
  {
    title: 'In your browser',
    text: (
      <p>
        That you are signed in, and a booking you have begun. No advertising, no tracking, no scripts of anybody else on
        our pages.
      </p>
    ),
  },
  {
    title: 'Who else sees it',
    text: (
      <p>
        The companies that carry out payments, hosted ID checks, door locks and mail for us, each only what it needs. We
        sell nothing to anybody.
      </p>
    ),
  },
  {
    title: 'How long',
    text: (
      <p>
        As long as you have an account. Invoices as long as tax law asks. A verification ends with your licence, after
        24 months at the latest.
      </p>
    ),
  },
  {
    title: 'Your rights',
    text: (
      <p>
        Ask what we keep about you, have it corrected or deleted: write to {mail}. If our answer does not satisfy you,
        the Office of the Australian Information Commissioner is there for you.
      </p>
    ),
  },
] as const;

export default function PrivacyPage() {
  return (
    <PublicFrame title="Privacy" lead={<p>As little as a door, a price and the law need.</p>}>
      <Articles sections={SECTIONS} />
    </PublicFrame>
  );
}
