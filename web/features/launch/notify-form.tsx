import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { paths } from '#web/lib/paths.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { joinList } from './queries.ts';

/** Adds an address to the mailing list for the opening. */
export function NotifyForm() {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{ joined: boolean; text: string } | null>(null);

  // Uncontrolled: the field can be filled in before the script has loaded.
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form).get('email');
    const email = typeof typed === 'string' ? typed : '';
    setBusy(true);
    const answer = await joinList(email.trim().toLowerCase());
    setBusy(false);
    setResult(answer);
    if (answer.joined) form.reset();
  }

  return (
    <form onSubmit={(event) => void submit(event)} className="max-w-md">
      <div className="flex flex-wrap items-end gap-3">
        <Field
          label="Email"
          name="email"
          type="email"
          required
          maxLength={255}
          autoComplete="email"
          placeholder="you@example.com"
          className="min-w-0 grow basis-56"
        />
        <Button type="submit" busy={busy}>
          Notify Me
        </Button>
      </div>
      <p className="mt-3 text-sm text-fog">
        By signing up you agree to get emails from us about the opening. Every email has a link to unsubscribe. See{' '}
        <Link to={paths.privacy} className="underline decoration-edge underline-offset-4 hover:text-chalk">
          Privacy
        </Link>
        .
      </p>
      {result ? (
        <div className="mt-4">
          <Notice tone={result.joined ? 'good' : 'bad'}>{result.text}</Notice>
        </div>
      ) : null}
    </form>
  );
}
