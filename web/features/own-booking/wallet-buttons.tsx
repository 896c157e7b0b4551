import { useMutation } from '@tanstack/react-query';
import { type CallBody, callFunction } from '#web/data/fetch-client.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { leaveTo } from '#web/lib/leave.ts';
import { Button } from '#web/ui/button.tsx';

type Kind = CallBody<'wallet-pass'>['kind'];
const NAMES: Readonly<Record<Kind, string>> = { apple: 'Apple Wallet', google: 'Google Wallet' };

/** Returns the wallets for which this server creates passes, as listed in the page. Apple's wallet only works on Apple devices. */
function kindsHere(): Kind[] {
  const offered = document.querySelector<HTMLMetaElement>('meta[name="wallets"]')?.content.split(' ') ?? [];
  const onApple = /iPhone|iPad|Macintosh/.test(navigator.userAgent);
  return (['apple', 'google'] as const).filter((kind) => offered.includes(kind) && (kind === 'google' || onApple));
}

/** Saves a confirmed booking as a pass in the phone's wallet. Renders nothing if the server creates no passes. */
export function WalletButtons({ bookingId }: { bookingId: string }) {
  const save = useMutation({
    mutationFn: async (kind: Kind) => leaveTo((await callFunction('wallet-pass', { bookingId, kind })).url),
    meta: { handled: true, invalidates: [] },
  });
  const kinds = kindsHere();
  if (kinds.length === 0) return null;
  return (
    <section aria-labelledby="wallets">
      <h2 id="wallets" className="text-2xl">
        Save it on your phone
      </h2>
      <div className="mt-4 flex flex-wrap gap-3 max-sm:flex-col">
        {kinds.map((kind) => (
          <Button
            key={kind}
            tone="plain"
            busy={save.isPending && save.variables === kind}
            disabled={save.isPending}
            onClick={() => save.mutate(kind)}
          >
            Add to {NAMES[kind]}
          </Button>
        ))}
      </div>
      <p className="mt-3 max-w-prose text-sm text-dust">
        Room, time, address and reference, never the access code. The pass changes with your booking when your phone is
        online. If it still shows old hours, add it again here.
      </p>
      <Failure action={save} text="We couldn’t make the pass. Please try again." className="mt-3 text-sm text-bad" />
    </section>
  );
}
