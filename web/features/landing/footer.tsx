import { nameLines } from '#rules/business/business.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Wordmark } from '#web/ui/logo.tsx';

const entry =
  'inline-flex min-h-11 items-center text-sm text-fog underline decoration-line underline-offset-4 hover:text-chalk';

/**
 * Footer of every public page. Terms and privacy are opened as documents from the server, so that they show the current texts. `clear`
 * leaves space for the BOOK NOW button.
 */
export function Footer({ clear = false }: { clear?: boolean }) {
  const business = useBusiness();
  return (
    <footer
      className={`flex flex-wrap items-end justify-between gap-x-10 gap-y-6 border-t border-line px-4 pt-8 sm:px-8 ${clear ? 'pb-32' : 'pb-10'}`}
    >
      <Wordmark lines={nameLines(business.name)} className="text-2xl" />
      <nav aria-label="More" className="flex flex-wrap gap-x-6">
        <Link to={paths.booking} className={entry}>
          Book a studio
        </Link>
        <Link to={paths.about} className={entry}>
          About
        </Link>
        <a href={`${paths.about}#news`} className={entry}>
          News by email
        </a>
        <a href={paths.terms} className={entry}>
          Terms
        </a>
        <a href={paths.privacy} className={entry}>
          Privacy
        </a>
      </nav>
      <p className="w-full text-sm text-dust">
        © {business.legalName}, {business.address}
      </p>
    </footer>
  );
}
