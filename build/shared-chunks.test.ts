import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedChunk } from './shared-chunks.ts';

const web = (name: string): string => join(import.meta.dirname, '..', 'web', name);
const imports: Readonly<Record<string, readonly string[]>> = {
  'start.ts': ['early.ts'],
  'main.tsx': ['app.tsx', 'early.ts'],
  'app.tsx': ['link.tsx', 'main.tsx'],
  'page.tsx': ['own.ts'],
};
const graph = {
  getModuleInfo: (id: string) => ({ importedIds: (imports[id.slice(web('').length + 1)] ?? []).map(web) }),
};

test('a shared chunk holds what its entry imports: not the entry, nothing of the start, nothing of other pages', () => {
  const { name } = sharedChunk('frame', { entry: 'main.tsx', files: /./, priority: 1 });
  const held = ['start.ts', 'early.ts', 'main.tsx', 'app.tsx', 'link.tsx', 'page.tsx', 'own.ts'].filter(
    (file) => name(web(file), graph) === 'frame',
  );
  expect(held).toEqual(['app.tsx', 'link.tsx']);
});

test('the chunk of the start holds what the start imports, and nothing else', () => {
  const { name } = sharedChunk('start', { entry: 'start.ts', files: /./, priority: 1 });
  const held = ['start.ts', 'early.ts', 'main.tsx', 'app.tsx', 'page.tsx'].filter(
    (file) => name(web(file), graph) === 'start',
  );
  expect(held).toEqual(['early.ts']);
});
