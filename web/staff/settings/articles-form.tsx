import { useState } from 'react';
import type { Article } from '#rules/business/business.ts';
import { articlesSchema } from '#rules/business/settings-change.ts';
import { useKept } from '#web/lib/use-form-draft.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { KeptPart, type PartDraft } from './kept-part.tsx';

type Draft = Article & { readonly key: number };

/** Edits the articles of a page: staff can add, remove and move them. */
export function ArticlesForm({
  draft: { name: draftName, version },
  articles,
  hint,
  onReview,
}: {
  draft: PartDraft;
  articles: readonly Article[];
  hint: string;
  onReview: (articles: Article[]) => void;
}) {
  const kept = useKept(draftName, { version, parts: articles.map((article, key): Draft => ({ ...article, key })) });
  const drafts = kept.value.parts;
  const setDrafts = (parts: Draft[]): void => kept.change({ parts });
  const [problem, setProblem] = useState<string | null>(null);
  function move(at: number, step: 1 | -1): void {
    const moved = drafts[at];
    if (moved !== undefined) setDrafts(drafts.toSpliced(at, 1).toSpliced(at + step, 0, moved));
  }
  function add(): void {
    setDrafts([...drafts, { title: '', text: '', key: Math.max(-1, ...drafts.map(({ key }) => key)) + 1 }]);
  }
  function review(): void {
    const checked = articlesSchema.safeParse(drafts.map(({ title, text }) => ({ title, text })));
    setProblem(checked.error?.issues[0]?.message ?? null);
    if (checked.success) onReview(checked.data);
  }
  return (
    <div className="space-y-6">
      {kept.isRestored ? <KeptPart typedAt={kept.value.version} version={version} onDiscard={kept.discard} /> : null}
      <p className="max-w-prose text-fog">{hint}</p>
      <ol className="space-y-6">
        {drafts.map((draft, index) => (
          <Part
            key={draft.key}
            draft={draft}
            number={index + 1}
            count={drafts.length}
            onEdit={(change) => setDrafts(drafts.with(index, { ...draft, ...change }))}
            onMove={(step) => move(index, step)}
            onRemove={() => setDrafts(drafts.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {problem === null ? null : (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      )}
      <div className="flex flex-wrap gap-3">
        <Button onClick={review}>Preview changes</Button>
        <Button tone="plain" onClick={add}>
          Add section
        </Button>
      </div>
    </div>
  );
}

function Part({
  draft: { title, text },
  number,
  count,
  onEdit,
  onMove,
  onRemove,
}: {
  draft: Draft;
  number: number;
  count: number;
  onEdit: (change: Partial<Article>) => void;
  onMove: (step: 1 | -1) => void;
  onRemove: () => void;
}) {
  const part = `section ${number}`;
  return (
    <li className="space-y-4 border border-line p-4">
      <Field
        label={`Title of ${part}`}
        value={title}
        maxLength={80}
        onChange={(event) => onEdit({ title: event.target.value })}
      />
      <Field
        label={`Text of ${part}`}
        lines={4}
        value={text}
        maxLength={5000}
        onChange={(event) => onEdit({ text: event.target.value })}
      />
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" aria-label={`Up, ${part}`} disabled={number === 1} onClick={() => onMove(-1)}>
          Up
        </Button>
        <Button tone="plain" aria-label={`Down, ${part}`} disabled={number === count} onClick={() => onMove(1)}>
          Down
        </Button>
        <Button tone="quiet" aria-label={`Remove, ${part}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}
