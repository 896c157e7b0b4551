import { KeptNotice } from '#web/ui/form/kept-notice.tsx';

/** The name under which a form of the settings keeps what is typed, and the version of the settings that it shows. */
export type PartDraft = { readonly name: string; readonly version: number };

/** Shows that a form has restored changes, and whether the settings have been saved since they were typed. */
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
      text="The settings were saved after you typed these changes. Compare them in the preview before you save."
      onDiscard={onDiscard}
    />
  );
}
