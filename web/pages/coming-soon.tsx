import { nameLines } from '#rules/business/business.ts';
import { venue } from '#rules/venue.ts';
import { AccountEntry } from '#web/features/landing/account-menu.tsx';
import { InstagramLink } from '#web/features/landing/info-table.tsx';
import { NotifyForm } from '#web/features/landing/notify-form.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Wordmark } from '#web/ui/logo.tsx';

const link = 'underline decoration-edge underline-offset-4 transition-colors hover:text-signal';

export default function ComingSoonPage() {
  const { name, email } = useBusiness();
  return (
    <main className="relative isolate flex min-h-dvh flex-col justify-between gap-12 overflow-hidden px-4 py-6 sm:px-8 sm:py-8">
      <title>{`Coming Soon · ${name}`}</title>
      <picture>
        <source media="(min-width: 768px)" type="image/avif" srcSet="/hero/wide.avif" />
        <source media="(min-width: 768px)" srcSet="/hero/wide.jpg" />
        <source type="image/avif" srcSet="/hero/tall.avif" />
        <img
          src="/hero/tall.jpg"
          alt=""
          width="720"
          height="1280"
          className="absolute inset-0 -z-20 size-full object-cover opacity-60 lg:object-[62%_50%] lg:opacity-80"
        />
      </picture>
      <div
        aria-hidden="true"
        className="absolute inset-0 -z-10 bg-linear-to-t from-night via-night/80 to-night/30 lg:bg-linear-to-tr lg:via-night/60"
      />
      <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
        <Link to={paths.home} aria-label={`${name}, home`}>
          <Wordmark lines={nameLines(name)} className="text-3xl sm:text-4xl" />
        </Link>
        <div className="flex flex-wrap items-center gap-x-8">
          <p className="text-sm font-bold tracking-wider">{venue.tagline}</p>
          <AccountEntry />
        </div>
      </div>
      <div>
        <h1 className="text-[min(23vw,12rem)] leading-[0.8] font-black tracking-[-0.02em] [font-stretch:62%] lg:max-w-[4em]">
          Coming Soon
        </h1>
        <p className="mt-6 text-2xl font-semibold sm:text-3xl">Sydney&apos;s first {name}.</p>
        <div className="mt-8">
          <NotifyForm />
        </div>
      </div>
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <p className="flex flex-wrap gap-x-6 gap-y-2">
          <a href={`mailto:${email}`} className={link}>
            {email}
          </a>
          <InstagramLink className={link} />
        </p>
        <p className="poster text-2xl text-signal normal-case">Run it up selecta!</p>
      </div>
    </main>
  );
}
