import { venue } from '#rules/venue.ts';
import { Articles, PublicFrame } from '#web/features/landing/public-frame.tsx';

const mail = (
  <a href={`mailto:${venue.email}`} className="text-chalk underline decoration-edge underline-offset-4">
    {venue.email}
  </a>
);

/** What the program does with personal data. Each sentence describes the code: change both together. */
const SECTIONS = [
  {
    title: 'What we keep',
    text: (
      <>
        <p>
          Your account: name, email, phone number, date of birth and, if you gave one, your DJ name. With each booking,
          the phone number you gave at checkout.
        </p>
        <p>
          Your bookings, what you paid for them, and which access codes we made. We never keep a code’s digits in
          readable form.
        </p>
        <p>A log of what was done on your account and by whom, so we can sort out any disagreement.</p>
      </>
    ),
  },
  {
    title: 'Your ID',
    text: (
      <>
        <p>
          We check your Australian driver licence before your first session. Our own server reads the photo, and we
          delete it within an hour of the result. If someone on our team has to look at it, we delete it once they’ve
          decided, and after 7 days at the latest.
        </p>
        <p>We keep that you were verified, until when, and the name and dates we read.</p>
      </>
    ),
  },
  {
    title: 'Your card',
    text: <p>You enter it on our payment provider’s page. We never see the number, only whether you paid.</p>,
  },
  {
    title: 'News by email',
    text: (
      <p>
        Only if you signed up for it. We keep your address and when you agreed. Every email has a link to unsubscribe,
        or you can email {mail}.
      </p>
    ),
  },
  {
    title: 'In your browser',
    text: (
      <p>
        Your sign-in, and a booking you’ve started. There’s no advertising and no tracking, and no one else’s scripts
        run on our pages.
      </p>
    ),
  },
  {
    title: 'Who else sees it',
    text: (
      <p>
        The companies that run payments, online ID checks, door locks and email for us. Each sees only what it needs. We
        never sell your data.
      </p>
    ),
  },
  {
    title: 'How long',
    text: (
      <p>
        For as long as you have an account. We keep invoices for as long as tax law says. Your ID verification ends when
        your licence expires, and after 24 months at the latest.
      </p>
    ),
  },
  {
    title: 'Your rights',
    text: (
      <p>
        You can ask what we keep about you, and have it corrected or deleted. Email {mail}. If you’re not happy with our
        answer, you can contact the Office of the Australian Information Commissioner.
      </p>
    ),
  },
] as const;

export default function PrivacyPage() {
  return (
    <PublicFrame title="Privacy" lead={<p>We keep only what we need for your bookings and what the law asks for.</p>}>
      <Articles sections={SECTIONS} />
    </PublicFrame>
  );
}
