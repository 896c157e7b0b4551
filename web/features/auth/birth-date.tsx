import { useId } from 'react';
import { formatStudioDate, isStudioDate } from '#rules/studio-time.ts';
import { inputStyle } from '#web/ui/field.tsx';

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
type Parts = { readonly day: string; readonly month: string; readonly year: string };
export const noDate: Parts = { day: '', month: '', year: '' };

/** 'YYYY-MM-DD', or '' until the three parts are a date. */
export function isoOf(parts: Parts): string {
  const iso = `${parts.year.padStart(4, '0')}-${parts.month.padStart(2, '0')}-${parts.day.padStart(2, '0')}`;
  return /^\d{4}$/.test(parts.year) && isStudioDate(iso) ? iso : '';
}
export function partsOf(iso: string): Parts {
  const [year = '', month = '', day = ''] = iso.split('-');
  return iso === '' ? noDate : { day: String(Number(day)), month: String(Number(month)), year };
}

/** Day, month in words, year, and an echo: 3 April is never taken for 4 March (decisions T-18). */
export function BirthDate({
  value,
  onChange,
  error,
}: {
  value: Parts;
  onChange: (parts: Parts) => void;
  error: string | null;
}) {
  const id = useId();
  const iso = isoOf(value);
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1.5 flex flex-wrap items-center gap-2 text-sm font-semibold">
        Date of Birth <span className="bg-warn px-1.5 py-0.5 text-[11px] font-bold text-ink">MUST MATCH ID</span>
      </legend>
      <div className="grid grid-cols-[4.5rem_1fr_6rem] gap-2">
        <input
          aria-label="Day"
          inputMode="numeric"
          maxLength={2}
          placeholder="Day"
          autoComplete="bday-day"
          className={inputStyle}
          value={value.day}
          onChange={(event) => onChange({ ...value, day: event.target.value.replace(/\D/g, '') })}
        />
        <select
          aria-label="Month"
          autoComplete="bday-month"
          className={inputStyle}
          value={value.month}
          onChange={(event) => onChange({ ...value, month: event.target.value })}
        >
          <option value="">Month</option>
          {MONTHS.map((name, at) => (
            <option key={name} value={String(at + 1)}>
              {name}
            </option>
          ))}
        </select>
        <input
          aria-label="Year"
          inputMode="numeric"
          maxLength={4}
          placeholder="Year"
          autoComplete="bday-year"
          className={inputStyle}
          value={value.year}
          onChange={(event) => onChange({ ...value, year: event.target.value.replace(/\D/g, '') })}
        />
      </div>
      <p id={`${id}-hint`} className="mt-1.5 text-sm text-dust" aria-live="polite">
        {iso === '' ? 'You must be 18 or older' : formatStudioDate(iso).replace(/^\w+ /, '')}
      </p>
      {error ? (
        <p role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
