import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { describeChanges } from './changes.ts';
import { setSettings, SETTINGS_CHANGES } from './queries.ts';

/** Shows what a change does and how the site will look before it is saved. */
export function Review({
  current,
  changes,
  preview,
  onBack,
  onDone,
}: {
  current: BusinessSettings;
  changes: SettingsChange;
  /** Renders the public parts of the site with these settings. */
  preview: (settings: BusinessSettings) => ReactNode;
  onBack: () => void;
  onDone: () => void;
}) {
  const save = useMutation({
    mutationFn: () => setSettings(changes),
    meta: { handled: true, invalidates: SETTINGS_CHANGES },
    onSuccess: () => {
      toast({ title: 'Settings saved', description: 'The site updates in a moment.' });
      onDone();
    },
  });
  return (
    <div className="space-y-6">
      <Table caption="Changes" columns={['Setting', 'Before', 'After']}>
        {describeChanges(current, changes).map((change) => (
          <Row key={change.name}>
            <Cell label="Setting">{change.name}</Cell>
            <Cell label="Before" className="whitespace-pre-line text-fog">
              {change.before}
            </Cell>
            <Cell label="After" className="whitespace-pre-line">
              {change.after}
            </Cell>
          </Row>
        ))}
      </Table>
      <Consequences changes={changes} />
      <section aria-label="Preview" className="border border-line">
        {preview({ ...current, ...Object.fromEntries(Object.entries(changes)) })}
      </section>
      <Failure action={save} text="Nothing was saved. Please try again." />
      <Confirm action={save} tone="signal" keep="Back" onKeep={onBack}>
        Save settings
      </Confirm>
    </div>
  );
}

/** Describes what a change means for customers. */
function Consequences({ changes }: { changes: SettingsChange }) {
  const texts = [
    changes.terms === undefined && changes.freeCancelHours === undefined
      ? null
      : 'Everyone must accept the new terms before their next booking.',
    changes.freeCancelHours === undefined ? null : 'Existing bookings keep their cancellation terms.',
    changes.holdMinutes === undefined ? null : 'Hours already held for payment keep their deadline.',
  ].filter((text) => text !== null);
  return texts.length === 0 ? null : (
    <Notice tone="plain">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Notice>
  );
}
