import { Fragment } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { type Letter, type Paragraph, parseParagraphs } from '#rules/letter.ts';
import { TextField } from '#web/ui/form/fields.tsx';

/** The form of a letter as typed. */
export type TypedLetter = { readonly subject: string; readonly body: string };

/** Subject and text of a mail that staff write, with a preview. */
export function LetterFields({ control }: { control: Control<TypedLetter, unknown, Letter> }) {
  return (
    <>
      <TextField control={control} name="subject" label="Subject" required maxLength={150} autoComplete="off" />
      <TextField
        control={control}
        name="body"
        label="Text"
        required
        lines={8}
        maxLength={10_000}
        hint="Leave a blank line to start a new paragraph. Write links as https://… or [label](https://…)."
      />
      <Preview control={control} />
    </>
  );
}

function Preview({ control }: { control: Control<TypedLetter, unknown, Letter> }) {
  const { subject = '', body = '' } = useWatch({ control });
  if (subject.trim() === '' && body.trim() === '') return null;
  return (
    <section aria-label="Preview" className="border-t-4 border-signal bg-deck p-5">
      <h3 className="text-2xl break-words">{subject}</h3>
      {parseParagraphs(body).map((lines, index) => (
        // Paragraphs have no other identity than their position.
        <Lines key={index} lines={lines} />
      ))}
    </section>
  );
}

function Lines({ lines }: { lines: Paragraph }) {
  return (
    <p className="mt-3 break-words">
      {lines.map((parts, line) => (
        <Fragment key={line}>
          {line === 0 ? null : <br />}
          {parts.map(({ text, href }, index) =>
            href === null ? (
              <Fragment key={index}>{text}</Fragment>
            ) : (
              <a key={index} href={href} target="_blank" rel="noreferrer" className="text-signal underline">
                {text}
              </a>
            ),
          )}
        </Fragment>
      ))}
    </p>
  );
}
