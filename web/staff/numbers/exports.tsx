import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { studioDate } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { saveCsv } from '#web/data/fetch-client.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { exportFormSchema, type ExportRequest, KINDS, lastMonth } from './export-form.ts';
import { readExport } from './queries.ts';

/** Downloads bookings, payments, refunds, customers or sales for Xero as a file. */
export function Exports() {
  const [range] = useState(() => lastMonth(studioDate(new Date())));
  const form = useSchemaForm(exportFormSchema, { defaultValues: { kind: 'bookings', ...range } });
  const download = useMutation({
    mutationFn: (request: ExportRequest) => readExport(request),
    meta: { handled: true },
    onSuccess: (csv, { kind, from, to }) => {
      const name = `${kind}-${from}-${to}.csv`;
      saveCsv(csv, name);
      toast({ title: 'File downloaded', description: name });
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The file could not be loaded. Check your connection.') }),
  });
  return (
    <>
      <h2 className="text-3xl">Export</h2>
      <p className="mt-2 mb-6 text-fog">Download a file for a spreadsheet or Xero. Days are Sydney days.</p>
      <Form form={form} onSend={download.mutateAsync} className="max-w-xl space-y-4">
        <ChoiceField control={form.control} name="kind" label="Data" options={KINDS} />
        <div className="grid grid-cols-2 gap-4">
          <TextField control={form.control} name="from" label="First day" type="date" required />
          <TextField control={form.control} name="to" label="Last day" type="date" required />
        </div>
        <FormError control={form.control} />
        <SubmitButton control={form.control}>Download file</SubmitButton>
      </Form>
    </>
  );
}
