import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useRef, useState } from 'react';
import { z } from 'zod';
import { describeCategory, PROBLEM_CATEGORIES, REPORT_PHOTOS, type ReportKind } from '#rules/business/feedback.ts';
import { photoProblem, REPORT_PHOTO_TYPES, uploadReportPhoto } from '#web/data/photos/report-photo.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Field } from '#web/ui/field.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { report } from './feedback-queries.ts';

const LONGEST = 1000;
const reportSchema = z.object({
  category: z.enum(PROBLEM_CATEGORIES),
  description: z.string().trim().min(1, 'Tell us in a few words.').max(LONGEST, 'At most 1,000 characters.'),
});
type Report = z.output<typeof reportSchema>;

/** Reports a problem of a session or lost property, with up to three photos. */
export function ReportForm({
  bookingId,
  kind,
  userId,
  onDone,
}: {
  bookingId: string;
  kind: ReportKind;
  userId: string;
  onDone: () => void;
}) {
  const form = useSchemaForm(reportSchema, { defaultValues: { category: 'equipment', description: '' } });
  const [requestId] = useState(() => crypto.randomUUID());
  const photos = usePhotos(userId);
  const send = useMutation({
    mutationFn: async ({ category, description }: Report) =>
      report({
        bookingId,
        ...(kind === 'problem' ? { kind, category } : { kind, category: null }),
        description,
        photos: await photos.upload(),
        requestId,
      }),
    meta: { handled: true, invalidates: [queryKeys.ownFeedback.all] },
    onSuccess: () => {
      toast({
        title: 'Thanks, the team knows',
        description: 'You’ll see here when we have read it, and we’ll email you.',
      });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'We couldn’t send that. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} className="space-y-4">
      {kind === 'problem' ? (
        <ChoiceField
          control={form.control}
          name="category"
          label="What is it about"
          options={PROBLEM_CATEGORIES.map((category) => ({ value: category, label: describeCategory(category) }))}
        />
      ) : null}
      <TextField
        control={form.control}
        name="description"
        label={kind === 'problem' ? 'What happened' : 'What did you leave, and where'}
        required
        lines={4}
        maxLength={LONGEST}
        autoComplete="off"
      />
      <Field
        label="Photos"
        type="file"
        multiple
        accept={REPORT_PHOTO_TYPES}
        hint={`Up to ${REPORT_PHOTOS}, optional. Only the picture is stored, not where or when it was taken.`}
        error={photos.problem}
        onChange={photos.choose}
      />
      <FormEnd control={form.control} leave="Not now" onLeave={onDone}>
        Send
      </FormEnd>
    </Form>
  );
}

/** Holds the photos of the form. A photo that was already uploaded is not uploaded again when the report is sent again. */
function usePhotos(userId: string) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const uploaded = useRef(new Map<File, string>());
  return {
    problem,
    choose(event: ChangeEvent<HTMLInputElement>): void {
      const chosen = [...(event.target.files ?? [])];
      const wrong =
        chosen.length > REPORT_PHOTOS
          ? `Choose at most ${REPORT_PHOTOS} photos.`
          : (chosen.map(photoProblem).find((message) => message !== null) ?? null);
      setProblem(wrong);
      setFiles(wrong === null ? chosen : []);
    },
    /** Uploads the photos that were not uploaded yet, one after another, and returns the names of all photos. */
    async upload(): Promise<string[]> {
      const names: string[] = [];
      for (const file of files) {
        const name = uploaded.current.get(file) ?? (await uploadReportPhoto(userId, file));
        uploaded.current.set(file, name);
        names.push(name);
      }
      return names;
    },
  };
}
