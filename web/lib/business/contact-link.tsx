import { phoneUrl } from '../paths.ts';
import { useBusiness } from './business.ts';

/** Links to the phone number of the business, or to its email address if it has no number. `call` or `write` comes before it. */
export function ContactLink({
  call = 'Call',
  write = 'Email',
  className,
}: {
  call?: string;
  write?: string;
  className: string;
}) {
  const { phone, email } = useBusiness();
  return (
    <a href={phone === '' ? `mailto:${email}` : phoneUrl(phone)} className={className}>
      {phone === '' ? `${write} ${email}` : `${call} ${phone}`}
    </a>
  );
}
