import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import { formatRecordDate } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { DiscountForm } from './discount-form.tsx';
import { type DiscountCode, readDiscountCodes, setDiscountCodeActive } from './queries.ts';

/** The staff's discount codes: how many, what each gives, and the ways to make, change and switch them. */
export function DiscountCodes() {
  const codes = useQuery({ queryKey: ['discount-codes'], queryFn: readDiscountCodes });
  const [editing, setEditing] = useState<DiscountCode | 'new' | null>(null);
  const active = codes.data?.filter((one) => one.active).length ?? 0;
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Discount Codes</h2>
          <p className="mt-2 text-fog tabular-nums">
            {codes.data ? `${codes.data.length} total codes, ${active} active` : 'Counting the codes'}
          </p>
        </div>
        <Button onClick={() => setEditing('new')}>Add New Code</Button>
      </div>
      <CodeList
        codes={codes.data}
        failure={codes.error}
        onRetry={() => void codes.refetch()}
        onEdit={(code) => setEditing(code)}
      />
      <Dialog
        open={editing !== null}
        title={editing === 'new' ? 'Add New Code' : 'Edit Code'}
        onClose={() => setEditing(null)}
      >
        {editing === null ? null : (
          <DiscountForm code={editing === 'new' ? null : editing} onDone={() => setEditing(null)} />
        )}
      </Dialog>
    </>
  );
}

function CodeList({
  codes,
  failure,
  onRetry,
  onEdit,
}: {
  codes: readonly DiscountCode[] | undefined;
  failure: Error | null;
  onRetry: () => void;
  onEdit: (code: DiscountCode) => void;
}) {
  const now = useNow(60_000);
  if (failure)
    return (
      <Notice tone="bad">
        <p>Failed to fetch discount codes</p>
        <p className="mt-1 text-sm text-fog">{describeError(failure, 'Check your connection.')}</p>
        <Button tone="plain" className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      </Notice>
    );
  if (!codes) return <Skeleton className="h-72" label="Loading the discount codes" />;
  if (codes.length === 0)
    return <p className="bg-booth p-8 text-center text-fog">No discount codes found. Create your first one!</p>;
  const columns: readonly Column<DiscountCode>[] = [
    { key: 'code', title: 'Code', cell: (one) => <CodeName code={one} /> },
    { key: 'type', title: 'Type', cell: (one) => (one.discount_type === 'percentage' ? 'Percentage' : 'Fixed') },
    { key: 'value', title: 'Value', figures: true, cell: worth },
    { key: 'usage', title: 'Usage', figures: true, cell: (one) => `${one.current_uses} / ${one.max_uses ?? '∞'}` },
    { key: 'status', title: 'Status', cell: (one) => <Standing active={one.active} /> },
    { key: 'expires', title: 'Expires', cell: (one) => <Expiry at={one.expires_at} now={now} /> },
    { key: 'actions', title: 'Actions', actions: true, cell: (one) => <Actions code={one} onEdit={onEdit} /> },
  ];
  return <DataTable label="Discount codes" columns={columns} rows={codes} keyOf={(one) => one.id} />;
}

/** "20%", "$15", "$12.50" (spec section 9). */
function worth(code: DiscountCode): string {
  return code.discount_type === 'percentage'
    ? `${code.discount_value}%`
    : formatMoney(dollarsToCents(code.discount_value) ?? 0);
}

function CodeName({ code }: { code: DiscountCode }) {
  return (
    <>
      <span className="font-bold break-all">{code.code}</span>
      {code.min_hours === null ? null : (
        <span className="block text-sm text-fog">
          from {code.min_hours} {code.min_hours === 1 ? 'hour' : 'hours'}
        </span>
      )}
      {code.description === null ? null : (
        <span className="block text-sm break-words text-fog">{code.description}</span>
      )}
    </>
  );
}

function Standing({ active }: { active: boolean }) {
  return (
    <span className={`inline-flex items-center gap-2 ${active ? 'text-good' : 'text-fog'}`}>
      <span
        aria-hidden="true"
        className={`size-2.5 rounded-full border-2 border-current ${active ? 'bg-current' : ''}`}
      />
      {active ? 'Active' : 'Inactive'}
    </span>
  );
}

function Expiry({ at, now }: { at: string | null; now: Date }) {
  if (at === null) return <span className="text-fog">Never</span>;
  const day = formatRecordDate(new Date(at));
  return new Date(at) <= now ? (
    <span className="text-warn">{day}, expired</span>
  ) : (
    <span className="whitespace-nowrap">{day}</span>
  );
}

function Actions({ code, onEdit }: { code: DiscountCode; onEdit: (code: DiscountCode) => void }) {
  const client = useQueryClient();
  const turn = useMutation({
    mutationFn: () => setDiscountCodeActive(code.id, !code.active),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['discount-codes'] });
      toast({ title: code.active ? 'Discount code deactivated' : 'Discount code activated', description: code.code });
    },
    onError: () => toast({ title: 'Error', description: 'Failed to update discount code status', tone: 'bad' }),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button tone="plain" className="px-4" onClick={() => onEdit(code)}>
        Edit <span className="sr-only">{code.code}</span>
      </Button>
      <Button tone="plain" className="px-4" busy={turn.isPending} onClick={() => turn.mutate()}>
        {code.active ? 'Deactivate' : 'Activate'} <span className="sr-only">{code.code}</span>
      </Button>
    </div>
  );
}
