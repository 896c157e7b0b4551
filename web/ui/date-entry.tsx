import { useId, useState } from 'react';
import { Badge, inputStyle } from './field.tsx';

type Parts = { readonly day: string; readonly month: string; readonly year: string };
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const digits = (text: string): string => text.replace(/\D/g, '');

/** Fields for day, month by name, and year, so that 3 April is never read as 4 March. `echo` says what was understood. */
export function DateEntry({
  legend,
  badge,
  hint,
  echo,
  error,
  refusal,
  accepts,
  value,
  onChange,
}: {
  legend: string;
  badge: string;
  hint: string;
  echo: string;
  error: string | null;
  /** Shown when an input was not accepted. */
  refusal: string;
  /** Whether these parts may be entered. */
  accepts: (parts: Parts) => boolean;
  value: Parts;
  onChange: (parts: Parts) => void;
}) {
  const id = useId();
  const [refused, setRefused] = useState(false);
  function enter(parts: Parts): void {
    const fine = accepts(parts);
    setRefused(!fine);
    if (fine) onChange(parts);
  }
  const problem = refused ? refusal : error;
  const shared = {
    className: inputStyle,
    required: true,
    'aria-invalid': problem ? (true as const) : undefined,
    'aria-describedby': `${id}-note`,
  };
  return (
    <fieldset>
      <legend className="mb-1.5 flex flex-wrap items-center gap-2 text-sm font-semibold">
        {legend} <Badge>{badge}</Badge>
      </legend>
      <div className="grid grid-cols-[4.5rem_1fr_5.5rem] gap-2">
        <input
          {...shared}
          aria-label="Day"
          placeholder="Day"
          inputMode="numeric"
          maxLength={2}
          autoComplete="bday-day"
          value={value.day}
          onChange={(event) => enter({ ...value, day: digits(event.target.value) })}
        />
        <select
          {...shared}
          aria-label="Month"
          autoComplete="bday-month"
          value={value.month}
          onChange={(event) => enter({ ...value, month: event.target.value })}
        >
          <option value="">Month</option>
          {MONTHS.map((name, at) => (
            <option key={name} value={String(at + 1)} disabled={!accepts({ ...value, month: String(at + 1) })}>
              {name}
            </option>
          ))}
        </select>
        <input
          {...shared}
          aria-label="Year"
          placeholder="Year"
          inputMode="numeric"
          maxLength={4}
          autoComplete="bday-year"
          value={value.year}
          onChange={(event) => enter({ ...value, year: digits(event.target.value) })}
        />
      </div>
      <p id={`${id}-note`} aria-live="polite" className={`mt-1.5 text-sm ${problem ? 'text-bad' : 'text-dust'}`}>
        {echo === '' ? (problem ?? hint) : problem ? `${echo}. ${problem}` : echo}
      </p>
    </fieldset>
  );
}
