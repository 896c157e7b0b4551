import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { renderPart, user } from '../component-tests.ts';
import { toast, Toaster } from '../toast.tsx';
import { CheckField, ChoiceField, CodeField, TextField } from './fields.tsx';
import { Form, FormError, SubmitButton } from './form.tsx';
import { refuseForm, type SchemaForm, UNREADABLE, useSchemaForm } from './use-schema-form.ts';

const schema = z.object({
  name: z.string().trim().min(2, 'Name is too short'),
  code: z.string().length(6, 'Six digits please'),
  studio: z.string(),
  agreed: z.boolean(),
});
type Typed = z.input<typeof schema>;
const empty: Typed = { name: '', code: '', studio: 'a', agreed: false };
const STUDIOS = [
  { value: 'a', label: 'Studio A' },
  { value: 'b', label: 'Studio B' },
];

type Sent = (values: Typed, form: SchemaForm<Typed>) => unknown;
function Sample({ onSend, getTitle }: { onSend: Sent; getTitle?: (field: string, message: string) => string | null }) {
  const form = useSchemaForm(schema, { defaultValues: empty });
  const { control } = form;
  return (
    <Form form={form} onSend={(values) => onSend(values, form)} {...(getTitle ? { getTitle } : {})}>
      <TextField control={control} name="name" label="Name" hint="As on your ID" />
      <CodeField control={control} name="code" label="Code" digits={6} />
      <ChoiceField control={control} name="studio" label="Studio" options={STUDIOS} />
      <CheckField control={control} name="agreed">
        Agreed
      </CheckField>
      <FormError control={control} />
      <SubmitButton control={control} busyLabel="Sending...">
        Send
      </SubmitButton>
    </Form>
  );
}
const show = (onSend: Sent, getTitle?: (field: string, message: string) => string | null) =>
  renderPart(<Sample onSend={onSend} {...(getTitle ? { getTitle } : {})} />, { sibling: <Toaster /> });
const press = () => user.click(screen.getByRole('button', { name: 'Send' }));
const messages = () => screen.getByRole('region', { name: 'Messages' });

test('the first invalid field is marked, described, focused and named in a toast; nothing is sent', async () => {
  const send = vi.fn();
  show(send);
  await press();
  const name = screen.getByLabelText('Name');
  expect((await screen.findByRole('alert')).textContent).toBe('Name is too short');
  expect(name.getAttribute('aria-invalid')).toBe('true');
  const described = name.getAttribute('aria-describedby')?.split(' ') ?? [];
  expect(described.map((id) => document.getElementById(id)?.textContent)).toEqual([
    'As on your ID',
    'Name is too short',
  ]);
  expect(document.activeElement).toBe(name);
  expect(messages().textContent).toBe('Validation ErrorName is too short');
  expect(send).not.toHaveBeenCalled();
});

test('the title of a toast comes from the form, and null shows no toast', async () => {
  show(vi.fn(), (field, message) => `${field}: ${message}`);
  await press();
  await waitFor(() => expect(messages().textContent).toContain('name: Name is too short'));
  document.body.querySelectorAll('[aria-label="Dismiss"]').forEach((button) => (button as HTMLElement).click());
  show(vi.fn(), () => null);
  await user.click(screen.getAllByRole('button', { name: 'Send' })[1] as HTMLElement);
  await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(2));
  expect(document.body.querySelectorAll('[aria-label="Dismiss"]')).toHaveLength(0);
});

test('a corrected field loses its message, and checked values are sent', async () => {
  const send = vi.fn();
  show(send);
  await press();
  await screen.findByRole('alert');
  await user.type(screen.getByLabelText('Name'), ' Al ');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  await user.click(screen.getByLabelText('Code'));
  await user.paste('123 456 78');
  expect(screen.getByLabelText<HTMLInputElement>('Code').value).toBe('123456');
  await user.selectOptions(screen.getByLabelText('Studio'), 'Studio B');
  await user.click(screen.getByLabelText('Agreed'));
  await press();
  await waitFor(() => expect(send).toHaveBeenCalledOnce());
  expect(send.mock.lastCall?.[0]).toEqual({ name: 'Al', code: '123456', studio: 'b', agreed: true });
});

async function fill(): Promise<void> {
  await user.type(screen.getByLabelText('Name'), 'Alex');
  await user.type(screen.getByLabelText('Code'), '123456');
}

test('while the answer is pending the button is busy with other words, and the form is not sent again', async () => {
  let answer = (): void => {};
  const send = vi.fn(() => new Promise<void>((done) => (answer = done)));
  show(send);
  await fill();
  await press();
  const busy = await screen.findByRole<HTMLButtonElement>('button', { name: 'Sending...' });
  expect(busy.disabled).toBe(true);
  expect(busy.getAttribute('aria-busy')).toBe('true');
  const form = busy.form as HTMLFormElement;
  form.requestSubmit();
  form.requestSubmit();
  expect(send).toHaveBeenCalledOnce();
  answer();
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Send' })).disabled).toBe(false);
});

test('a form that is sent twice in the same moment is sent once', async () => {
  const send = vi.fn();
  show(send);
  await fill();
  const form = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).form as HTMLFormElement;
  form.requestSubmit();
  form.requestSubmit();
  await waitFor(() => expect(send).toHaveBeenCalled());
  expect(send).toHaveBeenCalledOnce();
});

test('a refusal of the server is shown at its field until it is corrected, or with the form until it is sent again', async () => {
  const refusals = [
    { title: 'Error', message: 'Unknown code', field: 'code' },
    { title: 'Error', message: 'Try again later' },
  ] as const;
  let count = 0;
  show((_values, form) => {
    const refusal = refusals[count];
    count += 1;
    if (refusal) refuseForm(form, refusal);
    return Promise.reject(new Error('refused'));
  });
  await fill();
  await press();
  const code = screen.getByLabelText('Code');
  expect((await screen.findByRole('alert')).textContent).toBe('Unknown code');
  expect(code.getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(code);
  expect(messages().textContent).toBe('ErrorUnknown code');
  await user.type(code, '{Backspace}7');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  await press();
  expect((await screen.findByRole('alert')).textContent).toBe('Try again later');
  await press();
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('a text that the browser cannot read never counts as empty', async () => {
  const send = vi.fn();
  show(send);
  await fill();
  const name = screen.getByLabelText<HTMLInputElement>('Name');
  Object.defineProperty(name, 'validity', { value: { badInput: true } });
  await press();
  await waitFor(() => expect(send).toHaveBeenCalledOnce());
  expect(send.mock.lastCall?.[0]).toMatchObject({ name: UNREADABLE });
});

test('values that arrive later fill what was not typed yet', async () => {
  function Later({ values }: { values: Typed }) {
    const { control } = useSchemaForm(schema, { values });
    return (
      <>
        <TextField control={control} name="name" label="Name" />
        <TextField control={control} name="studio" label="Studio" />
      </>
    );
  }
  const { rerender } = renderPart(<Later values={empty} />);
  await user.type(screen.getByLabelText('Name'), 'Typed');
  rerender(<Later values={{ ...empty, name: 'Stored', studio: 'b' }} />);
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Studio').value).toBe('b'));
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Typed');
});

test('what is typed before the script has loaded stays', async () => {
  const typed = document.createElement('div');
  document.body.append(typed);
  function Early({ onSend }: { onSend: (values: { name: string }) => void }) {
    const form = useSchemaForm(async () => schema.pick({ name: true }), {});
    return (
      <Form form={form} onSend={onSend}>
        <TextField control={form.control} name="name" label="Name" />
        <SubmitButton control={form.control}>Send</SubmitButton>
      </Form>
    );
  }
  const { renderToString } = await import('react-dom/server');
  const { hydrateRoot } = await import('react-dom/client');
  const send = vi.fn();
  typed.innerHTML = renderToString(<Early onSend={send} />);
  const input = typed.querySelector('input') as HTMLInputElement;
  input.value = 'Early bird';
  const root = hydrateRoot(typed, <Early onSend={send} />);
  await waitFor(() => {
    typed.querySelector('form')?.requestSubmit();
    expect(send).toHaveBeenCalled();
  });
  expect(send.mock.lastCall?.[0]).toEqual({ name: 'Early bird' });
  root.unmount();
  typed.remove();
});

test('a message with a button stays for people who use the keyboard: twenty seconds, and while the focus is on it', async () => {
  vi.useFakeTimers();
  renderPart(<Toaster />);
  const onPress = vi.fn();
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await wait(0);
  act(() => {
    toast({ title: 'Without a button' });
    toast({ title: 'New selection', action: { label: 'Undo', onPress } });
  });
  await wait(8_000);
  expect(screen.queryByText('Without a button')).toBeNull();
  await wait(11_000);
  const undo = screen.getByRole('button', { name: 'Undo' });
  act(() => undo.focus());
  // A mouse that crosses the message does not change that.
  fireEvent.pointerEnter(undo, { pointerType: 'mouse' });
  fireEvent.pointerLeave(undo, { pointerType: 'mouse' });
  await wait(30_000);
  act(() => undo.blur());
  await wait(900);
  expect(screen.getByText('New selection')).toBeTruthy();
  await wait(200);
  expect(screen.queryByText('New selection')).toBeNull();
  vi.useRealTimers();
});
