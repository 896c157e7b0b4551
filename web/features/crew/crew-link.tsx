import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import type { CrewLink } from './queries.ts';

/** Shows a new link once, to share or to copy. `name`: the name of a guest who has already joined, or null. */
export function CrewLinkPanel({ link, name, onDone }: { link: CrewLink; name: string | null; onDone: () => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [link]);
  const [copied, setCopied] = useState(false);
  const canShare = typeof navigator.share === 'function';
  async function share(): Promise<void> {
    // If sharing is cancelled, the link stays on the page.
    await navigator
      .share({ title: 'Come to the studio', text: 'Your link for our session:', url: link.url })
      .catch(() => null);
  }
  async function copy(): Promise<void> {
    // If the clipboard is not accessible, the link can still be selected in the field.
    await navigator.clipboard.writeText(link.url).then(
      () => setCopied(true),
      () => field.current?.select(),
    );
  }
  return (
    <div role="group" aria-label="New link" className="mt-4 border-l-4 border-signal bg-deck p-4 sm:px-5">
      <label htmlFor={id} className="font-bold">
        {name === null ? 'A link for one person' : `The new link of ${name}`}
      </label>
      <input
        ref={field}
        id={id}
        readOnly
        value={link.url}
        onFocus={(event) => event.target.select()}
        className="mt-2 block min-h-11 w-full border border-edge bg-night px-3 text-sm text-fog"
      />
      <p role="status" className="mt-2 text-sm text-fog">
        {copied ? 'Copied. ' : ''}We show it once. Anyone who opens it can get in, so send it to one person only.
      </p>
      <div className="mt-3 flex flex-wrap gap-3">
        {canShare ? <Button onClick={() => void share()}>Share</Button> : null}
        <Button tone={canShare ? 'plain' : 'signal'} onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button tone="quiet" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
