import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mail } from '#server/mails/layout.ts';
import { type PreviewData, previewData } from '#server/mails/preview-data.ts';

/** A mail, or a text message, with the name of its template and preview. */
type Rendered = { readonly template: string; readonly name: string; readonly message: Mail | string };

const FOLDER = join(import.meta.dirname, '..', '..', 'server', 'mails');

/** Renders each template of server/mails with its previews. Skips templates without previews. */
export async function renderMails(): Promise<readonly Rendered[]> {
  const paths = globSync('**/*.ts', { cwd: FOLDER, exclude: ['**/*.test.ts'] }).toSorted();
  const modules: readonly object[] = await Promise.all(
    paths.map((path) => import(pathToFileURL(join(FOLDER, path)).href)),
  );
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, exported]) => (hasPreviews(exported) ? renderPreviews(name, exported) : [])),
  );
}

/** A template. Its own types have already compared its previews with its parameters. */
type Template = ((...given: readonly unknown[]) => Mail | string) & {
  readonly previews: (data: PreviewData) => Readonly<Record<string, readonly unknown[]>>;
};
const hasPreviews = (exported: unknown): exported is Template =>
  typeof exported === 'function' && 'previews' in exported;

const renderPreviews = (template: string, render: Template): Rendered[] =>
  Object.entries(render.previews(previewData)).map(([name, given]) => ({
    template,
    name: name === '' ? template : `${template}, ${name}`,
    message: render(...given),
  }));
