import { useId } from 'react';

/** Offers a few values as radio buttons that are all visible, so that one tap chooses. The arrow keys choose too. */
export function Choice<Value>({
  label,
  value,
  options,
  columns,
  onChoose,
}: {
  label: string;
  value: Value;
  /** Each value with its label. */
  options: readonly (readonly [Value, string])[];
  /** Classes of the grid that contains the options. */
  columns: string;
  onChoose: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-semibold sm:float-left sm:mb-0 sm:w-16 sm:leading-11">{label}</legend>
      <div className={`grid gap-1.5 ${columns}`}>
        {options.map(([option, words]) => (
          <label key={words} className="grid text-center text-sm font-semibold *:col-start-1 *:row-start-1">
            {/* The radio button covers its label, so that a finger touches the button itself. */}
            <input
              type="radio"
              name={name}
              checked={option === value}
              onChange={() => onChoose(option)}
              className="peer min-h-11 w-full cursor-pointer appearance-none border-2 border-edge bg-night outline-offset-2 transition-colors checked:border-signal checked:bg-signal hover:not-checked:border-chalk forced-colors:checked:border-4 forced-colors:checked:border-[Highlight]"
            />
            <span className="pointer-events-none place-self-center px-0.5 min-[24.25rem]:px-1 peer-checked:text-ink">
              {words}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
