import { useBusiness } from './business.ts';

/** Explains that the code of a booking is on hold, and how to contact us. */
export function HeldCode() {
  const { phone, email } = useBusiness();
  const link = 'font-semibold underline underline-offset-4';
  return (
    <p>
      Your access code is on hold. Please{' '}
      {phone === '' ? (
        <a href={`mailto:${email}`} className={link}>
          write to {email}
        </a>
      ) : (
        <a href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`} className={link}>
          call us on {phone}
        </a>
      )}{' '}
      before you come. As soon as it’s settled, you’ll get your code.
    </p>
  );
}
