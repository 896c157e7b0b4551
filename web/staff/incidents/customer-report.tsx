import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { describeReportState, LOST_OUTCOMES, type LostOutcome } from '#rules/business/feedback.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { answerIncident, type Incident } from './queries.ts';

const NOTHING_YET = 'none';
const answerSchema = z.object({
  answer: z.string().trim().min(1, 'Enter an answer.').max(2000, 'Use at most 2,000 characters.'),
  state: z.enum(['in_progress', 'done']),
  outcome: z.enum([NOTHING_YET, ...LOST_OUTCOMES]),
});

/** A customer's report: the booking, the last answer, and a form for a new answer. */
export function CustomerReport({ incident }: { incident: Incident }) {
  const [answering, setAnswering] = useState(false);
  if (incident.kind !== 'problem' && incident.kind !== 'lost') return null;
  const { answer, answeredAt, reference } = incident;
  return (
    <div className="mt-3 space-y-3">
      {answer === null || answeredAt === null ? null : (
        <p className="border-l-4 border-edge pl-3 break-words whitespace-pre-line">
          {answer}
          <span className="block text-sm text-fog">
            {incident.outcome === null ? '' : `${describeReportState(incident)}. `}
            Answered {formatStudioDateTime(answeredAt)}.
          </span>
        </p>
      )}
      <div className="flex flex-wrap items-center gap-4">
        {reference === null ? null : (
          <Link to={`${paths.admin}?booking=${reference}`} className="font-semibold underline">
            Booking {reference}
          </Link>
        )}
        <Button tone="plain" aria-expanded={answering} onClick={() => setAnswering(!answering)}>
          {answer === null ? 'Answer' : 'Answer again'}
        </Button>
      </div>
      {answering ? <AnswerForm incident={incident} onDone={() => setAnswering(false)} /> : null}
    </div>
  );
}

function AnswerForm({ incident, onDone }: { incident: Incident; onDone: () => void }) {
  const isLost = incident.kind === 'lost';
  const form = useSchemaForm(answerSchema, {
    defaultValues: { answer: '', state: isLost ? 'in_progress' : 'done', outcome: incident.outcome ?? NOTHING_YET },
  });
  const send = useMutation({
    mutationFn: ({ answer, state, outcome }: z.output<typeof answerSchema>) =>
      answerIncident({
        incidentId: incident.id,
        answer,
        state,
        outcome: outcome === NOTHING_YET ? null : outcome,
      }),
    meta: { handled: true, invalidates: [queryKeys.incidents.all, queryKeys.alerts.all] },
    onSuccess: () => {
      toast({ title: 'Answered', description: 'The customer gets an email.' });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The answer was not sent. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} className="max-w-xl space-y-4">
      <TextField
        control={form.control}
        name="answer"
        label="Your answer"
        hint="The customer gets it by email and sees it with the booking."
        required
        maxLength={2000}
        autoComplete="off"
      />
      {isLost ? (
        <ChoiceField
          control={form.control}
          name="outcome"
          label="Outcome"
          options={[{ value: NOTHING_YET, label: 'Still looking' }, ...LOST_OUTCOMES.map(toOption)]}
        />
      ) : null}
      <ChoiceField
        control={form.control}
        name="state"
        label="Status"
        options={[
          { value: 'in_progress', label: 'In progress' },
          { value: 'done', label: 'Done' },
        ]}
      />
      <FormError control={form.control} />
      <SubmitButton control={form.control}>Send answer</SubmitButton>
    </Form>
  );
}

const OUTCOMES: Readonly<Record<LostOutcome, string>> = {
  found: 'Found',
  returned: 'Returned',
  not_found: 'Not found',
};
const toOption = (outcome: LostOutcome) => ({ value: outcome, label: OUTCOMES[outcome] });
