import type { Section } from './section.ts';
import type { TaggedTest } from './tags.ts';

const TOP = `# The specification, line by line, and the tests that show it

Generated from \`tests/spec/\` and from the tags at the end of test titles, such as \`[spec 2.14]\`. There is a line for every route, element, text, rule, state,
error, constant and timer of the specification, and for the fields and calls of its sections 3 and 7. Section 10 has what the product does beyond it.

- A line is in the specification's own words. Straight double quotes mark a text that people see or a service answers, letter by letter; \`{…}\` is filled in.
- \`[T-nn]\` names a decision that changed, bounded or completed the line ([list](requirements.md#decisions-by-t-code)). \`[supabase-js]\` means that the client
  library itself satisfies it.
- The tests of a line, as file › title, fail when it no longer holds.`;

/** Renders docs/spec-coverage.md: each line of the specification with the tests whose tags name it. */
export function renderCoverage(sections: readonly Section[], tests: readonly TaggedTest[]): string {
  return `${[TOP, ...sections.flatMap((section) => renderSection(section, tests))].join('\n\n')}\n`;
}

function renderSection({ title, note, parts }: Section, tests: readonly TaggedTest[]): string[] {
  const tables = Object.entries(parts).flatMap(([heading, lines]) => [
    heading === '' ? '' : `### ${heading}`,
    [
      '| Id | Line | Tests |',
      '|---|---|---|',
      ...Object.entries(lines).map(([id, text]) => renderLine(id, text, tests)),
    ].join('\n'),
  ]);
  return [`## ${title}`, note ?? '', ...tables].filter((block) => block !== '');
}

function renderLine(id: string, text: string, tests: readonly TaggedTest[]): string {
  const shownBy = tests.filter(({ ids }) => ids.includes(id)).map(({ path, title }) => `${path} › ${title}`);
  return `| ${[id, text, shownBy.join('<br>')].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
