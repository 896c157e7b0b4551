import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Field } from '#web/ui/field.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { openFeed, readFeeds, revokeFeed } from './queries.ts';

/** The private addresses from which calendar programs read the bookings of a room. */
export function Feeds({ studios }: { studios: readonly { readonly id: string; readonly name: string }[] }) {
  const feeds = useQuery({ queryKey: queryKeys.staffCalendar.of('feeds'), queryFn: readFeeds });
  return (
    <Loaded query={feeds} what="the addresses" why={describeLoadError} skeleton="h-48">
      {(data) => (
        <div className="space-y-5">
          <p className="text-fog">
            Google Calendar, Apple Calendar and other apps can subscribe to each room’s address. It shows closed hours,
            and bookings with first name and reference. Anyone with the address can read it, so keep it private. Each
            view of an address is logged.
          </p>
          <ul className="space-y-5">
            {studios.map((studio) => (
              <li key={studio.id} className="border-t border-line pt-4">
                <Feed studio={studio} since={data.get(studio.id) ?? null} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  );
}

const META = { handled: true as const, invalidates: [queryKeys.staffCalendar.all] };
const failed = (error: unknown): void =>
  toast({ title: 'Error', description: describeError(error, 'Nothing was changed. Try again.'), tone: 'bad' });

function Feed({ studio, since }: { studio: { id: string; name: string }; since: Date | null }) {
  const [revoking, setRevoking] = useState(false);
  const show = useMutation({ mutationFn: () => openFeed(studio.id), meta: META, onError: failed });
  const revoke = useMutation({
    mutationFn: () => revokeFeed(studio.id),
    meta: META,
    onError: failed,
    onSuccess: () => {
      show.reset();
      setRevoking(false);
      toast({ title: 'Address revoked', description: `The calendar of ${studio.name} is no longer shared.` });
    },
  });
  const url = show.data?.url;
  return (
    <div className="space-y-3">
      <h3 className="text-xl">{studio.name}</h3>
      <p className="text-sm text-fog">
        {since === null ? 'No address yet.' : `Shared since ${formatStudioDate(since)}.`}
      </p>
      {url === undefined ? null : <Address studioName={studio.name} url={url} />}
      <div className="flex flex-wrap gap-3">
        {url === undefined ? (
          <Button tone="plain" busy={show.isPending} onClick={() => show.mutate()}>
            {since === null ? 'Create address' : 'Show address'} <span className="sr-only">for {studio.name}</span>
          </Button>
        ) : null}
        {since === null ? null : revoking ? (
          <Confirm action={revoke} keep="Keep address" onKeep={() => setRevoking(false)}>
            Revoke and empty all subscribed calendars
          </Confirm>
        ) : (
          <Button tone="quiet" onClick={() => setRevoking(true)}>
            Revoke <span className="sr-only">the address for {studio.name}</span>
          </Button>
        )}
      </div>
    </div>
  );
}

function Address({ studioName, url }: { studioName: string; url: string }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(url);
    toast({ title: 'Address copied', description: 'Paste it where your calendar asks for a subscription.' });
  };
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field
        className="min-w-0 grow"
        label={`Address for ${studioName}`}
        value={url}
        readOnly
        onFocus={({ target }) => target.select()}
      />
      <Button tone="plain" onClick={() => void copy().catch(failed)}>
        Copy address
      </Button>
    </div>
  );
}
