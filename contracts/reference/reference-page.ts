import type { Call } from '../core/define-call.ts';
import { listRefusals, REFUSAL_STATUS } from '../core/refusals.ts';
import { describeCallers } from './describe-api.ts';

const TOP = `# Functions

Generated from \`contracts/\`. \`GET /functions/v1/openapi.json\` has the same as OpenAPI 3.1, with a schema of each body and answer.

A call is \`POST /functions/v1/<name>\` with a JSON body unless it says otherwise. Every answer that is not 2xx is
\`{"error": {"code", "message", …}}\`: programs read the code, people the message. Instants are ISO 8601; amounts are Australian cents unless
a field says otherwise.
`;

/** Renders docs/functions.md: for each call, who may make it, an example, and its refusals. */
export function renderReference(calls: readonly Call[]): string {
  const sorted = calls.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [TOP, ...sorted.map(renderCall), renderStatuses()].join('\n');
}

function renderCall(call: Call): string {
  const { name, methods, summary, example, files = [] } = call;
  const own = Object.keys(call.refusals);
  const lines = [
    `## ${name}`,
    summary,
    `${describeCallers(call)} ${describeLimit(call)}`,
    methods.join() === 'POST' ? '' : `Methods: ${methods.join(', ')}.`,
    methods.includes('POST') ? block(example.body) : '',
    files.length === 0
      ? block(example.answer)
      : `Answers with a file: ${files.map((type) => `\`${type}\``).join(', ')}.`,
    own.length === 0 ? '' : `Refused with ${own.map((code) => `\`${code}\``).join(', ')}.`,
  ];
  return `${lines.filter((line) => line !== '').join('\n\n')}\n`;
}

const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

function describeLimit({ limit }: Call): string {
  if (limit === null) return 'No limit.';
  if ('max' in limit) return `At most ${limit.max} calls in ${limit.seconds} seconds.`;
  return `At most ${limit.GET.max} reads and ${limit.POST.max} changes in ${limit.POST.seconds} seconds.`;
}

/** Renders the status of each code, and the refusals that every call of a kind can give. */
function renderStatuses(): string {
  const rows = Object.entries(REFUSAL_STATUS).map(([code, status]) => `| \`${code}\` | ${status} |`);
  const byCallers = (['everyone', 'signed-in', 'staff', 'developers'] as const).map(
    (callers) => `- ${callers}: ${listRefusals({ callers, refusals: {} }).join(', ')}`,
  );
  return [
    '## Refusals',
    'In addition to its own refusals, each call can be refused because of its caller:',
    byCallers.join('\n'),
    ['| Code | Status |', '|---|---|', ...rows].join('\n'),
    '',
  ].join('\n\n');
}
