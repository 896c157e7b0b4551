import { type ReactNode, useId, useState } from 'react';
import { z } from 'zod';
import { venue } from '#rules/venue.ts';
import { Button, buttonStyle, Cross, Meter } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Check, SelectField } from '#web/ui/choice.tsx';
import { CrashScreen } from '#web/ui/crash-screen.tsx';
import { DateEntry } from '#web/ui/date-entry.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Badge, Field } from '#web/ui/field.tsx';
import { CheckField, ChoiceField, CodeField, DateField, TextField } from '#web/ui/form/fields.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { KeptNotice } from '#web/ui/form/kept-notice.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Mark, Wordmark } from '#web/ui/logo.tsx';
import { Empty, LoadFailed, Notice, Skeleton, Waiting } from '#web/ui/notice.tsx';
import { Progress } from '#web/ui/progress.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { toast } from '#web/ui/toast.tsx';
import { Frame } from './frame.tsx';

const COLOURS = [
  ['night', 'bg-night'],
  ['booth', 'bg-booth'],
  ['deck', 'bg-deck'],
  ['line', 'bg-line'],
  ['edge', 'bg-edge'],
  ['dust', 'bg-dust'],
  ['fog', 'bg-fog'],
  ['chalk', 'bg-chalk'],
  ['signal', 'bg-signal'],
  ['good', 'bg-good'],
  ['warn', 'bg-warn'],
  ['bad', 'bg-bad'],
] as const;
const WORDS = ['Reading.', 'Still reading.', 'This takes longer than usual.'] as const;
const ROOMS = [
  { value: 'a', label: 'Studio A' },
  { value: 'b', label: 'Studio B' },
] as const;
const TONES = ['signal', 'plain', 'quiet', 'danger'] as const;

/** Shows every component of web/ui in all its static states; tests/primitives.test.ts checks that none is missing. */
export default function PrimitivesPage() {
  return (
    <Frame title="Primitives" lead="What every page is made of, in all its states.">
      <div className="space-y-16">
        <Colours />
        <Buttons />
        <Fields />
        <FormParts />
        <Choices />
        <Notices />
        <TabsAndTable />
        <Overlays />
      </div>
    </Frame>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-6 text-4xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Colours() {
  return (
    <Part title="Colours, type and mark">
      <ul className="grid grid-cols-3 gap-3 sm:grid-cols-6">
        {COLOURS.map(([name, style]) => (
          <li key={name}>
            <span aria-hidden="true" className={`block h-16 border border-line ${style}`} />
            <span className="text-sm text-fog">{name}</span>
          </li>
        ))}
      </ul>
      <p className="mt-8 font-sans text-7xl font-extrabold tabular-nums">0123456789</p>
      <p className="mt-4 flex flex-wrap items-center gap-6 text-signal">
        <Mark className="size-16" />
        <Wordmark lines={venue.nameLines} className="text-3xl text-chalk" />
        <Meter />
        <Cross />
      </p>
    </Part>
  );
}

function Buttons() {
  return (
    <Part title="Buttons">
      {TONES.map((tone) => (
        <div key={tone} className="mb-4 flex flex-wrap items-center gap-3">
          <Button tone={tone}>{tone}</Button>
          <Button tone={tone} busy>
            {tone}, busy
          </Button>
          <Button tone={tone} disabled>
            {tone}, disabled
          </Button>
        </div>
      ))}
      <a href="#buttons" className={buttonStyle.plain}>
        A link that looks like one
      </a>
      <div className="mt-4">
        <Confirm
          action={{ isPending: false, mutate: () => toast({ title: 'Deleted' }) }}
          keep="Keep it"
          onKeep={() => toast({ title: 'Nothing changed' })}
        >
          Delete it
        </Confirm>
      </div>
    </Part>
  );
}

function Fields() {
  const [date, setDate] = useState({ day: '', month: '', year: '' });
  return (
    <Part title="Fields">
      <div className="grid gap-6 sm:grid-cols-2">
        <Field label="At rest" placeholder="Placeholder" />
        <Field label="Filled" defaultValue="Alex Citizen" />
        <Field label="With a badge and a hint" badge="MUST MATCH ID" hint="As on your licence." />
        <Field label="With an error" defaultValue="alex@" error="Please enter a valid email address" />
        <Field label="Read only" readOnly defaultValue="alex@example.com" />
        <Field label="Disabled" disabled defaultValue="Not now" />
        <Field label="A code" large inputMode="numeric" defaultValue="123456" />
        <p className="self-end">
          <Badge>A badge alone</Badge>
        </p>
        <DateEntry
          legend="A date"
          badge="MUST MATCH ID"
          hint="You must be 18 or older"
          echo=""
          error={null}
          refusal=""
          accepts={() => true}
          value={date}
          onChange={setDate}
        />
        <DateEntry
          legend="A date with an error"
          badge="MUST MATCH ID"
          hint=""
          echo="3 April 2015"
          error="You must be 18 years or older."
          refusal=""
          accepts={() => true}
          value={{ day: '3', month: '4', year: '2015' }}
          onChange={() => undefined}
        />
      </div>
    </Part>
  );
}

const formSchema = z.object({
  name: z.string().trim().min(2, 'Please enter a name.'),
  code: z.string().length(6, 'The code has 6 digits.'),
  room: z.string(),
  date: z.object({ day: z.string(), month: z.string(), year: z.string() }),
  agreed: z.boolean().refine((yes) => yes, 'Please accept this.'),
});
const emptyForm = { name: '', code: '', room: 'a', date: { day: '', month: '', year: '' }, agreed: false };

function FormParts() {
  const form = useSchemaForm(formSchema, { defaultValues: emptyForm });
  const { control } = form;
  const refuse = (): void => refuseForm(form, { title: 'Error', message: 'The server refused this.' });
  return (
    <Part title="A form">
      <Form form={form} onSend={refuse} className="grid max-w-xl gap-4">
        <TextField control={control} name="name" label="A text field of a form" />
        <CodeField control={control} name="code" label="A code field" digits={6} />
        <ChoiceField control={control} name="room" label="A choice of a form" options={ROOMS} />
        <DateField
          control={control}
          name="date"
          legend="A date of a form"
          badge="MUST MATCH ID"
          hint="Day, month and year"
          echo={() => ''}
          problem={() => null}
          refusal=""
          accepts={() => true}
        />
        <CheckField control={control} name="agreed">
          A box of a form
        </CheckField>
        <FormError control={control} />
        <SubmitButton control={control} busyLabel="Sending...">
          Send
        </SubmitButton>
      </Form>
    </Part>
  );
}

function Choices() {
  return (
    <Part title="Choices">
      <div className="grid gap-6 sm:grid-cols-3">
        <SelectField label="A select" options={ROOMS} />
        <SelectField label="A select with an error" options={ROOMS} error="Choose another studio." />
        <SelectField label="A disabled select" options={ROOMS} disabled />
        <Check>A box to tick</Check>
        <Check defaultChecked>A ticked box</Check>
        <Check disabled>A disabled box</Check>
        <Check error="Please accept this.">A box with an error</Check>
      </div>
    </Part>
  );
}

function Notices() {
  return (
    <Part title="Notices, states and chips">
      <div className="space-y-4">
        {(['plain', 'good', 'warn', 'bad'] as const).map((tone) => (
          <Notice key={tone} tone={tone}>
            <p>{tone}: what happened, and what to do.</p>
          </Notice>
        ))}
        <KeptNotice onDiscard={() => undefined} />
        <LoadFailed
          title="The examples could not be loaded."
          why="Check your connection."
          onRetry={() => toast({ title: 'Trying again' })}
        />
        <p className="flex flex-wrap gap-3">
          {(['plain', 'good', 'warn', 'bad', 'signal'] as const).map((tone) => (
            <Chip key={tone} tone={tone}>
              {tone}
            </Chip>
          ))}
        </p>
        <Empty>Nothing here yet.</Empty>
        <Skeleton className="h-24" label="On its way" />
        <Waiting label="Loading" />
        <p className="text-fog">
          <Progress on words={WORDS} />
        </p>
      </div>
    </Part>
  );
}

function TabsAndTable() {
  const [tab, setTab] = useState('one');
  return (
    <Part title="Tabs and table">
      <Tabs
        label="Examples"
        tabs={[
          { key: 'one', label: 'With rows' },
          { key: 'two', label: 'Without' },
        ]}
        value={tab}
        onChange={setTab}
      >
        {tab === 'one' ? (
          <Table caption="Examples" columns={['Code', 'Status', 'Actions']}>
            {['OPENING20', 'SUNDAY'].map((code) => (
              <Row key={code}>
                <Cell label="Code">{code}</Cell>
                <Cell label="Status">
                  <Chip tone="good">Active</Chip>
                </Cell>
                <Cell label="">
                  <Button tone="plain">
                    Edit <span className="sr-only">{code}</span>
                  </Button>
                </Cell>
              </Row>
            ))}
          </Table>
        ) : (
          <Empty>No rows.</Empty>
        )}
      </Tabs>
    </Part>
  );
}

function Overlays() {
  return (
    <Part title="Dialogs and messages">
      <CrashScreen page="example">
        <OverlayExamples />
      </CrashScreen>
    </Part>
  );
}

/** Must be inside the crash screen, so that Try again resets all of it. */
function OverlayExamples() {
  const [open, setOpen] = useState<'narrow' | 'wide' | null>(null);
  const [broken, setBroken] = useState(false);
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" onClick={() => setOpen('narrow')}>
          Open a dialog
        </Button>
        <Button tone="plain" onClick={() => setOpen('wide')}>
          Open a wide dialog
        </Button>
        <Button tone="plain" onClick={() => toast({ title: 'Saved', description: 'Your changes are saved.' })}>
          Show a message
        </Button>
        <Button tone="plain" onClick={() => toast({ title: 'Not yet', description: 'Soon.', tone: 'warn' })}>
          Show a warning
        </Button>
        <Button
          tone="plain"
          onClick={() => toast({ title: 'Error', description: 'Your changes are not saved.', tone: 'bad' })}
        >
          Show an error
        </Button>
        <Button tone="plain" onClick={() => setBroken(true)}>
          Break a part of the page
        </Button>
      </div>
      {broken ? <Broken /> : null}
      <Dialog open={open !== null} title="A dialog" wide={open === 'wide'} onClose={() => setOpen(null)}>
        <p className="mb-6">The focus stays in here; Escape closes.</p>
        <div className="flex flex-wrap gap-3">
          <Button onClick={() => setOpen(null)}>Close it</Button>
          <Button tone="plain" onClick={() => toast({ title: 'Saved in here', description: 'It covers nothing.' })}>
            Show a message in here
          </Button>
          <Button tone="danger" onClick={() => setBroken(true)}>
            Break it
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function Broken(): ReactNode {
  throw new Error('broken on purpose, to show the crash screen');
}
