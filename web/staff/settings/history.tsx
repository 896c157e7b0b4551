import { formatStudioDateTime } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { namesOfChanges } from './changes.ts';
import type { SettingsVersion } from './queries.ts';

/** Lists the versions of the settings, newest first. */
export function History({
  versions,
  onRestore,
}: {
  versions: readonly SettingsVersion[];
  onRestore: (version: SettingsVersion) => void;
}) {
  const [newest] = versions;
  return (
    <Table caption="Changes, newest first, in Sydney time" columns={['When', 'Who', 'What', 'Actions']}>
      {versions.map((version, index) => {
        const when = formatStudioDateTime(version.at);
        const before = versions[index + 1];
        const names = before === undefined ? [] : namesOfChanges(before.settings, version.settings);
        const differs = newest !== undefined && namesOfChanges(newest.settings, version.settings).length > 0;
        return (
          <Row key={version.version}>
            <Cell label="When">{when}</Cell>
            <Cell label="Who">{version.by ?? '–'}</Cell>
            <Cell label="What">{version.version === 1 ? 'Initial settings' : names.join(', ') || '–'}</Cell>
            <Cell label="">
              {differs ? (
                <Button tone="plain" aria-label={`Restore the settings of ${when}`} onClick={() => onRestore(version)}>
                  Restore
                </Button>
              ) : null}
            </Cell>
          </Row>
        );
      })}
    </Table>
  );
}
