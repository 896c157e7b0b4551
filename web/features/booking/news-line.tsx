/** Announces what others did to the hours, and says whether the hours follow at once. As high with a sentence as without one. */
export function NewsLine({ sentence, live }: { sentence: string; live: boolean }) {
  return (
    <div className="mb-2 flex min-h-6 items-center gap-2 text-sm text-fog">
      <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${live ? 'bg-good' : 'bg-edge'}`} />
      <p role="status" className="font-semibold text-chalk empty:hidden">
        {sentence}
      </p>
      {sentence === '' ? <p>{live ? 'Live: changes show at once.' : 'Checked every few seconds.'}</p> : null}
    </div>
  );
}
