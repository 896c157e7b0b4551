/** Renders docs/model.md from the faults, the measured sizes and the results of searches. */
import { type Fault, FAULT_NAMES, FAULTS } from './faults.ts';
import { PROPERTIES } from './invariants.ts';
import type { Violation } from './search.ts';
import { SIZES } from './sizes.ts';
import { type Step, writeStep } from './steps.ts';

/** The results of the searches with each fault. */
export type Found = Readonly<Record<Fault, Violation<Step>>>;

export const renderPage = (found: Found): string => `# The model of holds and payments

Generated from \`simulation/model\`.

\`simulation/model/protocol.ts\` is the protocol of holding, paying, closing, expiring, moving, ordering and waiting as a transition function.
\`npm run model\` searches every state that any order of steps can reach. Nothing compares the program with the model yet;
\`simulation/model/trace.ts\` can replay a trace of steps.

## What it says

A state has the rows of the database, the payment sessions at the provider, and where the money is. A step is one transaction or one event at
the provider. A call and the transaction that records its answer are two steps. Anything may happen between them, and the second one may never
come: this covers late and lost answers and crashes. Repeated events change nothing. A session can be paid once its page
is shown, until the provider closes it.

In every state:

- **No double booking:** a slot has one booking or hold.
- **No paid booking lost:** a customer who pays gets the hours. Only a waiting move is refunded if its booking was cancelled or moved meanwhile.
- **No money kept for nothing:** money belongs to a confirmed booking or goes back.
- **No hours or refunds for nothing:** a confirmed booking is paid, and nothing is refunded twice.
- **Unpaid hours are bounded:** an account has one unpaid hold and one claim.
- **Every hold ends:** steps of the server, the provider and the clock alone end all holds, and the time of a hold never begins again.

## What it leaves out

Prices, coupons and wrong amounts; payments that take days; disputes and partial refunds; actions of staff, blocks and closures; early holds,
which behave like claims; durations: the time of a hold may end at any moment. An account has one unpaid hold instead of two, and one claim a
day instead of one for each span. An order has two slots. States that differ only in names count once.

## Sizes

Each size was searched as a whole, without a violation; \`npm test\` searches the first two, and \`npm run test:long\` the others. The last column is
the most steps needed to end all holds without a customer.

| Customers×slots×sessions | States | Depth | One core | Steps |
| --- | --- | --- | --- | --- |
${SIZES.map(({ size, states, depth, toEnd, took }) =>
  toRow([size.replaceAll('x', '×'), states.toLocaleString('en-AU'), String(depth), took, String(toEnd)]),
).join('\n')}

## Faults

\`npm run model -- --fault NAME\` switches one rule off. Each is found, with this shortest counterexample. \`A\` and \`B\` are customers, numbers
are slots, \`b1\` is a booking or hold, \`s1\` a session. \`open\` stands for \`request-session\`, \`create-session\` and \`record-session\`; \`book\` for \`hold\`,
\`open\`, \`pay\` and \`settle\`.

${PROPERTIES.map((property) => writeFaults(property, found)).join('\n\n')}
`;

/** Writes the faults that break a property, as a list. */
function writeFaults(property: string, found: Found): string {
  const names = FAULT_NAMES.filter((name) => found[name].name === property);
  const lines = names.map((name) => `- ${FAULTS[name]} (\`${name}\`): ${writeSteps(found[name].steps)}`);
  return `**${property[0]?.toUpperCase()}${property.slice(1)}** fails if the program:\n\n${lines.join('\n')}`;
}

const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Writes the steps of a counterexample, with a single word for the steps that open a session, and for those that book. */
const writeSteps = (steps: readonly Step[]): string =>
  `\`${steps.map(writeStep).join(' ')}\``
    .replaceAll(/request-session\((b\d),(s\d)\) create-session\(\2\) record-session\(\2\)/g, 'open($1,$2)')
    .replaceAll(/hold\(([^)]*)\) open\(b1,(s\d)\) pay\(\2\) settle\(\2\)/g, 'book($1)');
