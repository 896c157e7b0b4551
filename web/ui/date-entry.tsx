import { type ComponentProps, type Ref, useId, useState } from 'react';
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

/** Fields for day, month by name, and year, so that 3 April is never read as 4 March. `echo`: the date as it was understood. */
export function DateEntry({
  legend,
  badge,
  hint,
  echo,
  error,
  refused = null,
  refusal,
  accepts,
  value,
  onChange,
  firstInput,
}: {
  legend: string;
  badge: string;
  hint: string;
  echo: string;
  /** The problem with the date as entered so far. */
  error: string | null;
  /** Why the form with this date was refused. */
  refused?: string | null;
  /** The message after an input that was not accepted. */
  refusal: string;
  /** Whether these parts may be entered. */
  accepts: (parts: Parts) => boolean;
  value: Parts;
  onChange: (parts: Parts) => void;
  /** A ref to the input that receives the focus if the date is wrong. */
  firstInput?: Ref<HTMLInputElement>;
}) {
  const id = useId();
  const [blocked, setBlocked] = useState(false);
  function enter(parts: Parts): void {
    const fine = accepts(parts);
    setBlocked(!fine);
    if (fine) onChange(parts);
  }
  const problem = blocked ? refusal : error;
  const shared = {
    className: inputStyle,
    required: true,
    'aria-invalid': problem || refused ? (true as const) : undefined,
    'aria-describedby': refused ? `${id}-note ${id}-refused` : `${id}-note`,
  };
  return (
    <fieldset>
      <legend className="mb-1.5 flex flex-wrap items-center gap-2 text-sm font-semibold">
        {legend} <Badge>{badge}</Badge>
      </legend>
      <div className="grid grid-cols-[4.5rem_1fr_5.5rem] gap-2">
        <Digits {...shared} ref={firstInput} label="Day" part="day" length={2} value={value} onEnter={enter} />
        <Month {...shared} value={value} accepts={accepts} onEnter={enter} />
        <Digits {...shared} label="Year" part="year" length={4} value={value} onEnter={enter} />
      </div>
      <p id={`${id}-note`} aria-live="polite" className={`mt-1.5 text-sm ${problem ? 'text-bad' : 'text-dust'}`}>
        {echo === '' ? (problem ?? hint) : problem ? `${echo}. ${problem}` : echo}
      </p>
      {refused ? (
        <p id={`${id}-refused`} role="alert" className="mt-1.5 text-sm text-bad">
          {refused}
        </p>
      ) : null}
    </fieldset>
  );
}

type Shared = Pick<ComponentProps<'input'>, 'className' | 'required' | 'aria-invalid' | 'aria-describedby'> & {
  readonly value: Parts;
  readonly onEnter: (parts: Parts) => void;
};

function Digits({
  label,
  part,
  length,
  value,
  onEnter,
  ...input
}: Shared & { label: string; part: 'day' | 'year'; length: number; ref?: Ref<HTMLInputElement> | undefined }) {
  return (
    <input
      {...input}
      aria-label={label}
      placeholder={label}
      inputMode="numeric"
      maxLength={length}
      autoComplete={`bday-${part}`}
      value={value[part]}
      onChange={(event) => onEnter({ ...value, [part]: event.target.value.replace(/\D/g, '') })}
    />
  );
}

function Month({ value, accepts, onEnter, ...select }: Shared & { accepts: (parts: Parts) => boolean }) {
  return (
    <select
      {...select}
      aria-label="Month"
      autoComplete="bday-month"
      value={value.month}
      onChange={(event) => onEnter({ ...value, month: event.target.value })}
    >
      <option value="">Month</option>
      {MONTHS.map((name, index) => (
        <option key={name} value={String(index + 1)} disabled={!accepts({ ...value, month: String(index + 1) })}>
          {name}
        </option>
      ))}
    </select>
  );
}
