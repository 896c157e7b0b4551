/**
 * The steps of the model and their text, such as `hold(A,1,2)`: customer A holds the slots 1 and 2. `b1` is a booking, `s1` a session.
 */

/** Who causes each step. A hold must end through steps that its customer does not take. */
export const ACTORS = {
  hold: 'customer',
  'time-ends': 'clock',
  'request-session': 'customer',
  'create-session': 'provider',
  'lose-request': 'provider',
  'record-session': 'server',
  pay: 'customer',
  'close-session': 'server',
  'session-ends': 'provider',
  'find-no-session': 'server',
  'end-attempt': 'customer',
  'replace-attempt': 'customer',
  release: 'server',
  settle: 'server',
  move: 'customer',
  'hold-move': 'customer',
  cancel: 'customer',
  refund: 'server',
  'record-refund': 'server',
  'join-wait-list': 'customer',
  'leave-wait-list': 'customer',
  claim: 'server',
} as const;

export type StepName = keyof typeof ACTORS;
/** What a step is about, by index. */
export type Subject = {
  readonly customer?: number;
  readonly booking?: number;
  readonly session?: number;
  readonly slots?: readonly number[];
};
export type Step = Subject & { readonly name: StepName };

export const STEP_NAMES = Object.keys(ACTORS).filter((name): name is StepName => Object.hasOwn(ACTORS, name));

const LETTERS = 'ABCDEFGHIJKLMNOP';

export function writeStep({ name, customer, booking, session, slots = [] }: Step): string {
  const words = [
    ...(customer === undefined ? [] : [LETTERS[customer]]),
    ...(booking === undefined ? [] : [`b${booking + 1}`]),
    ...(session === undefined ? [] : [`s${session + 1}`]),
    ...slots.map((slot) => slot + 1),
  ];
  return `${name}(${words.join(',')})`;
}

/** Reads the text of a step. Throws if the model does not have such a step. */
export function readStep(text: string): Step {
  const [, word = '', list = ''] = /^([a-z-]+)\(([^()]*)\)$/.exec(text) ?? [];
  const name = STEP_NAMES.find((candidate) => candidate === word);
  if (name === undefined) throw new Error(`the model has no step ${text}`);
  let step: Step = { name };
  for (const item of list === '' ? [] : list.split(',')) {
    const [, kind = '', digits = ''] = /^([bs]?)([1-9]\d?)$/.exec(item) ?? [];
    const index = Number(digits) - 1;
    if (kind === 'b') step = { ...step, booking: index };
    else if (kind === 's') step = { ...step, session: index };
    else if (digits !== '') step = { ...step, slots: [...(step.slots ?? []), index] };
    else if (item.length === 1 && LETTERS.includes(item)) step = { ...step, customer: LETTERS.indexOf(item) };
    else throw new Error(`the model has no step ${text}`);
  }
  return step;
}
