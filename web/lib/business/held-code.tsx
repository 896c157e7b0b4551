import { ContactLink } from './contact-link.tsx';

/** Explains that the code of a booking is on hold, and how to contact us. */
export function HeldCode() {
  return (
    <p>
      Your access code is on hold. Please{' '}
      <ContactLink call="call us on" write="write to" className="font-semibold underline underline-offset-4" /> before
      you come. As soon as it’s settled, you’ll get your code.
    </p>
  );
}
