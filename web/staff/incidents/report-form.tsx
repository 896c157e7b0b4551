import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { z } from 'zod';
import { photoProblem, REPORT_PHOTO_TYPES, uploadReportPhoto } from '#web/data/photos/report-photo.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeError } from '#web/lib/errors.ts';
import { Field } from '#web/ui/field.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { reportIncident } from './queries.ts';

const NO_ROOM = 'none';
const reportSchema = z.object({
  studio: z.string(),
  description: z.string().trim().min(1, 'Enter what happened.').max(2000, 'Use at most 2,000 characters.'),
});
type Report = z.output<typeof reportSchema>;

/** Reports an incident with an optional photo. */
export function ReportForm({
  studios,
  onDone,
}: {
  studios: readonly { readonly id: string; readonly name: string }[];
  onDone: () => void;
}) {
  const { user } = useSession();
  const form = useSchemaForm(reportSchema, { defaultValues: { studio: studios[0]?.id ?? NO_ROOM, description: '' } });
  const [requestId] = useState(() => crypto.randomUUID());
  const [photo, setPhoto] = useState<File | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // A photo that was already uploaded is not uploaded again when the report is sent again.
  const uploaded = useRef<{ readonly of: File; readonly name: string } | null>(null);
  const report = useMutation({
    mutationFn: async ({ studio, description }: Report) => {
      if (photo !== null && uploaded.current?.of !== photo)
        uploaded.current = { of: photo, name: await uploadReportPhoto(user?.id ?? '', photo) };
      return reportIncident({
        studioId: studio === NO_ROOM ? null : studio,
        description,
        photo: photo === null ? null : (uploaded.current?.name ?? null),
        requestId,
      });
    },
    meta: { handled: true, invalidates: [queryKeys.incidents.all] },
    onSuccess: () => {
      toast({ title: 'Incident reported' });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The incident was not reported. Check your connection.') }),
  });
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const chosen = event.target.files?.[0] ?? null;
    const wrong = chosen === null ? null : photoProblem(chosen);
    setProblem(wrong);
    setPhoto(wrong === null ? chosen : null);
  };
  const rooms = [...studios.map(({ id, name }) => ({ value: id, label: name })), { value: NO_ROOM, label: 'No room' }];
  return (
    <Form form={form} onSend={report.mutateAsync} className="space-y-4">
      <ChoiceField control={form.control} name="studio" label="Room" options={rooms} />
      <TextField
        control={form.control}
        name="description"
        label="What happened"
        required
        maxLength={2000}
        autoComplete="off"
      />
      <Field
        label="Photo"
        type="file"
        accept={REPORT_PHOTO_TYPES}
        hint="Optional, up to 10 MB. We store only the picture, not where or when it was taken."
        error={problem}
        onChange={choose}
      />
      <FormEnd control={form.control} onLeave={onDone}>
        Report incident
      </FormEnd>
    </Form>
  );
}
