import type { VolumeStep } from '#rules/pricing.ts';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import type { PriceChange } from './price-cells.ts';

/** Shows what saving would change. */
export function PricePreview({
  studio,
  everywhere,
  from,
  changes,
  columns,
  steps,
  problem,
  busy,
  onSave,
  onBack,
}: {
  studio: string;
  everywhere: boolean;
  from: StudioDate;
  changes: readonly PriceChange[];
  columns: readonly string[];
  steps: readonly VolumeStep[];
  problem: string | null;
  busy: boolean;
  onSave: () => void;
  onBack: () => void;
}) {
  return (
    <div className="space-y-4">
      <p>
        {everywhere ? 'All rooms' : studio}, from {formatStudioDate(from)}.
        {everywhere ? ` All rooms get these prices. The table shows what changes in ${studio}.` : ''} Existing bookings
        keep their price.
      </p>
      {changes.length === 0 ? (
        <p className="text-fog">Hourly prices stay the same.</p>
      ) : (
        <Table caption="Changed prices" columns={['Day', 'Hours', 'Before', 'After']}>
          {changes.map((change) => (
            <Row key={`${change.column} ${change.hours}`}>
              <Cell label="Day">{columns[change.column]}</Cell>
              <Cell label="Hours">{change.hours}</Cell>
              <Cell label="Before">{change.before}</Cell>
              <Cell label="After">{change.after}</Cell>
            </Row>
          ))}
        </Table>
      )}
      <p>
        Volume discount:{' '}
        {steps.length === 0 ? 'none' : steps.map((step) => `${step.percent}% from ${step.hours} hours`).join(', ')}.
      </p>
      {problem === null ? null : (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <div className="sticky -bottom-6 -mb-6 flex flex-wrap gap-3 bg-booth py-4 sm:-bottom-8 sm:-mb-8">
        <Button busy={busy} onClick={onSave}>
          Save prices
        </Button>
        <Button tone="plain" disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}
