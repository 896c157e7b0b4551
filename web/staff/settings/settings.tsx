import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { removeTyped } from '#web/lib/drafts.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ArticlesForm } from './articles-form.tsx';
import { getChanges } from './changes.ts';
import { DetailsForm } from './details-form.tsx';
import { History } from './history.tsx';
import { readSettings, type SettingsVersion } from './queries.ts';
import { Review } from './review.tsx';

type Preview = (settings: BusinessSettings) => ReactNode;
const PARTS = ['Details', 'Terms', 'Privacy', 'History'] as const;
type Part = (typeof PARTS)[number];
const HINT =
  'Leave a blank line to start a new paragraph. {name}, {email} and {cancelHours} are replaced with the business details.';

/** Returns the key under which the tab keeps what was typed into a form. */
const getDraftKey = (part: Part): string => `settings:${part}`;

/** Settings of the business: details, texts of pages, and their history. Every change is previewed before it is saved. */
export function Settings({ preview }: { preview: Preview }) {
  useLive('staff', queryKeys.settings.all);
  const versions = useQuery({ queryKey: queryKeys.settings.of(), queryFn: readSettings });
  return (
    <Loaded query={versions} what="the settings" why={describeLoadError} skeleton="h-96">
      {(all) => (all[0] === undefined ? null : <Editor versions={all} newest={all[0]} preview={preview} />)}
    </Loaded>
  );
}

function Editor({
  versions,
  newest,
  preview,
}: {
  versions: readonly SettingsVersion[];
  newest: SettingsVersion;
  preview: Preview;
}) {
  const [part, setPart] = useState<Part>('Details');
  const [changes, review] = useState<SettingsChange | null>(null);
  /** The version on which the open form is based. */
  const [base, setBase] = useState(newest);
  const current = newest.settings;
  function open(next: Part): void {
    setPart(next);
    setBase(newest);
    review(null);
  }
  return (
    <>
      <h2 className="text-3xl">Settings</h2>
      <p className="mt-2 text-fog">Business details on pages, emails and calendar files, and the booking rules.</p>
      <nav aria-label="Parts of the settings" className="mt-6 mb-8 flex flex-wrap gap-2">
        {PARTS.map((entry) => (
          <Button
            key={entry}
            tone={entry === part ? 'signal' : 'plain'}
            aria-current={entry === part ? 'true' : undefined}
            onClick={() => open(entry)}
          >
            {entry}
          </Button>
        ))}
      </nav>
      {base.version === newest.version || part === 'History' ? null : (
        <div className="mb-6">
          <Notice tone="warn">
            <p>The settings have changed since you opened this form.</p>
            <Button tone="plain" className="mt-3" onClick={() => open(part)}>
              Load current settings
            </Button>
          </Notice>
        </div>
      )}
      {changes === null ? null : (
        <Review
          current={current}
          changes={changes}
          preview={preview}
          onBack={() => review(null)}
          onDone={() => {
            removeTyped(getDraftKey(part));
            open('History');
          }}
        />
      )}
      {/* The form is hidden while the change is reviewed, so that it keeps what was typed. */}
      <div hidden={changes !== null}>
        <Fields
          key={`${part} ${base.version}`}
          part={part}
          base={base}
          versions={versions}
          current={current}
          onReview={review}
        />
      </div>
    </>
  );
}

function Fields({
  part,
  base: { version, settings: base },
  versions,
  current,
  onReview,
}: {
  part: Part;
  base: SettingsVersion;
  versions: readonly SettingsVersion[];
  current: BusinessSettings;
  onReview: (changes: SettingsChange) => void;
}) {
  if (part === 'Details')
    return <DetailsForm draft={{ name: getDraftKey(part), version }} current={base} onReview={onReview} />;
  if (part === 'Terms')
    return (
      <ArticlesForm
        draft={{ name: getDraftKey(part), version }}
        articles={base.terms}
        hint={`Everyone must accept a new text once, before their next booking. ${HINT}`}
        onReview={(terms) => onReview({ terms })}
      />
    );
  if (part === 'Privacy')
    return (
      <ArticlesForm
        draft={{ name: getDraftKey(part), version }}
        articles={base.privacy}
        hint={HINT}
        onReview={(privacy) => onReview({ privacy })}
      />
    );
  return <History versions={versions} onRestore={({ settings }) => onReview(restored(current, settings))} />;
}

/** Returns the change that restores earlier settings. */
function restored(current: BusinessSettings, before: BusinessSettings): SettingsChange {
  const { termsVersion: _version, ...settings } = before;
  return getChanges(current, {
    ...settings,
    terms: [...settings.terms],
    privacy: [...settings.privacy],
  });
}
