import { KeptNotice } from '#web/ui/form/kept-notice.tsx';

/** Where a form of the settings keeps what is typed, and the version of the settings that it shows. */
export type PartDraft = { readonly name: string; readonly version: number };

/** Says that a form has changes that were typed before, and whether the settings were saved since. */
export function KeptPart({
  typedAt,
  version,
  onDiscard,
}: {
  /** The version of the settings when they were typed. */
  typedAt: number;
  version: number;
  onDiscard: () => void;
}) {
  if (typedAt === version) return <KeptNotice onDiscard={onDiscard} />;
  return (
    <KeptNotice
      text="The settings have been saved since you typed these changes. Compare them in the preview before you save."
      onDiscard={onDiscard}
    />
  );
}
