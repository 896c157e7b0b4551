import { useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { applyEntry, type CellSelection, readEntry } from './price-cells.ts';
import { PriceGrid } from './price-grid.tsx';

const NOTHING: CellSelection = { cells: new Set(), active: 0, anchor: 0 };

/** Edits prices: staff choose cells of the grid and type dollars or a change in percent. */
export function PriceEditor({
  caption,
  columns,
  cents,
  onChange,
}: {
  caption: string;
  columns: readonly string[];
  cents: readonly number[];
  onChange: (cents: readonly number[]) => void;
}) {
  const input = useRef<HTMLFormElement>(null);
  const [selection, select] = useState(NOTHING);
  const [typed, type] = useState('');
  const [refused, refuse] = useState<string | null>(null);
  const count = selection.cells.size;
  function apply(): void {
    const entry = readEntry(typed);
    if (count === 0) return refuse('Choose hours in the table first.');
    if (entry === null) return refuse('Enter a price from $1 to $1,000, or a change such as +10%.');
    refuse(null);
    type('');
    // Drop the colour of the chosen cells, so that the new prices can be compared.
    select({ ...selection, cells: new Set() });
    return onChange(applyEntry(cents, selection.cells, entry));
  }
  return (
    <div>
      <form
        ref={input}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
        noValidate
        className="sticky top-0 z-10 mb-2 flex flex-wrap items-end gap-3 bg-night py-3"
      >
        <Field
          label="Price for chosen hours"
          hint={`${count} ${count === 1 ? 'hour' : 'hours'} chosen. Enter dollars, or a change such as +10%.`}
          value={typed}
          onChange={(event) => type(event.target.value)}
          error={refused}
          autoComplete="off"
          className="min-w-0 grow basis-48"
        />
        <Button type="submit" tone="plain">
          Set price
        </Button>
      </form>
      <PriceGrid
        caption={caption}
        columns={columns}
        cents={cents}
        selection={selection}
        onSelect={select}
        onType={(figure) => {
          type(figure);
          input.current?.querySelector('input')?.focus();
        }}
      />
    </div>
  );
}
