import { formatStudioTime } from '#rules/studio-time.ts';
import { useOnline } from '../use-browser.ts';

/**
 * Announces what other customers did to the hours, and shows how current the hours are. The line has the same height with and without an
 * announcement. `unsure`: the last request failed. `checkedAt`: when the hours were last read, if known.
 */
export function NewsLine({
  sentence,
  live,
  unsure,
  checkedAt,
}: {
  sentence: string;
  live: boolean;
  unsure: boolean;
  checkedAt: Date | undefined;
}) {
  const online = useOnline();
  const stale = unsure || !online;
  const now = live ? 'Live: changes show at once.' : 'Checked every few seconds.';
  return (
    <>
      {stale ? (
        <output className="mb-3 block text-sm text-warn">
          {online ? 'We can’t check which hours are free right now.' : 'You’re offline.'}
          {checkedAt === undefined
            ? ''
            : ` These hours were last checked at ${formatStudioTime(checkedAt)}, Sydney time, and may be taken by now.`}
        </output>
      ) : null}
      <div className="mb-2 flex min-h-6 items-center gap-2 text-sm text-fog">
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full ${stale ? 'bg-warn' : live ? 'bg-good' : 'bg-edge'}`}
        />
        <p role="status" className="font-semibold text-chalk empty:hidden">
          {sentence}
        </p>
        {sentence === '' ? <p>{stale ? 'Not up to date.' : now}</p> : null}
      </div>
    </>
  );
}
