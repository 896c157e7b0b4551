import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDollars } from '#rules/money.ts';
import { formatRecordDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { DiscountForm } from './discount-form.tsx';
import { GiftCodes } from './gift-codes.tsx';
import {
  type CodeResults,
  type DiscountCode,
  readCodeResults,
  readDiscountCodes,
  setDiscountCodeActive,
  worth,
} from './queries.ts';

const COLUMNS = ['Code', 'Type', 'Value', 'Usage', 'Status', 'Expires', 'Actions'];

/**
 * Lists the discount codes for staff, who can create, edit and activate them, and the batches of gift codes. `mayGive`: whether the account
 * may give money away.
 */
export function DiscountCodes({ mayGive }: { mayGive: boolean }) {
  return (
    <>
      <Codes mayGive={mayGive} />
      <GiftCodes mayGive={mayGive} />
    </>
  );
}

function Codes({ mayGive }: { mayGive: boolean }) {
  const codes = useQuery({ queryKey: queryKeys.discountCodes.of(), queryFn: readDiscountCodes });
  const [editing, setEditing] = useState<DiscountCode | 'new' | null>(null);
  const now = useNow(60_000);
  const active = codes.data?.filter((code) => getState(code, now) === 'Active').length ?? 0;
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Discount Codes</h2>
          <p className="mt-2 text-fog tabular-nums">
            {codes.data ? `${codes.data.length} total codes, ${active} active` : 'Loading the codes'}
          </p>
        </div>
        <Button onClick={() => setEditing('new')}>Add New Code</Button>
      </div>
      <Loaded
        query={codes}
        what="the discount codes"
        failed="Failed to fetch discount codes"
        why={describeLoadError}
        skeleton="h-72"
      >
        {(all) => <CodeList codes={all} onEdit={setEditing} />}
      </Loaded>
      <Dialog
        open={editing !== null}
        title={editing === 'new' ? 'Add New Code' : 'Edit Code'}
        onClose={() => setEditing(null)}
      >
        {editing === null ? null : (
          <DiscountForm code={editing === 'new' ? null : editing} mayGive={mayGive} onDone={() => setEditing(null)} />
        )}
      </Dialog>
    </>
  );
}

function CodeList({ codes, onEdit }: { codes: readonly DiscountCode[]; onEdit: (code: DiscountCode) => void }) {
  const now = useNow(60_000);
  const results = useResults(codes);
  if (codes.length === 0) return <Empty>No discount codes found. Create your first one!</Empty>;
  return (
    <Table caption="Discount codes" columns={COLUMNS}>
      {codes.map((code) => (
        <Row key={code.id}>
          <Cell label="Code">
            <CodeName code={code} />
          </Cell>
          <Cell label="Type">{code.discount_type === 'percentage' ? 'Percentage' : 'Fixed'}</Cell>
          <Cell label="Value">{worth(code)}</Cell>
          <Cell label="Usage">
            {code.current_uses} / {code.max_uses ?? '∞'}
            <Results results={results.get(code.id)} />
          </Cell>
          <Cell label="Status">
            <Status code={code} now={now} />
          </Cell>
          <Cell label="Expires">
            <Expiry at={code.expires_at} now={now} />
          </Cell>
          <Cell label="">
            <Actions code={code} onEdit={onEdit} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** Queries what each code brought and cost. Empty until it is known, and the list does not wait for it. */
function useResults(codes: readonly DiscountCode[]): ReadonlyMap<string, CodeResults> {
  const used = codes.filter((code) => code.current_uses > 0).map(({ id }) => id);
  const results = useQuery({
    queryKey: queryKeys.codeResults.of(used),
    queryFn: () => readCodeResults(used),
    enabled: used.length > 0,
  });
  return results.data ?? new Map();
}

function Results({ results }: { results: CodeResults | undefined }) {
  if (results === undefined) return null;
  const { bookings, sold, discount } = results;
  return (
    <span className="block text-sm text-fog tabular-nums">
      <span className="block">{bookings === 1 ? '1 booking' : `${bookings} bookings`}</span>
      <span className="block">{formatDollars(sold)} in sales</span>
      <span className="block">{formatDollars(discount)} off</span>
    </span>
  );
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
      {describeRules(code).map((rule) => (
        <span key={rule} className="block text-sm break-words text-fog">
          {rule}
        </span>
      ))}
      {code.description === null ? null : (
        <span className="block text-sm break-words text-fog">{code.description}</span>
      )}
    </>
  );
}

function describeRules(code: DiscountCode): string[] {
  return [
    ...(code.works_when === null ? [] : [code.works_when]),
    ...(code.customer_email === null ? [] : [`only for ${code.customer_email}`]),
    ...(code.per_user_limit === null ? [] : [`${code.per_user_limit} per customer`]),
    ...(code.valid_from === null ? [] : [`valid from ${formatRecordDate(new Date(code.valid_from))}`]),
  ];
}

/** An expired code does not work, even if it was never turned off. */
function getState({ active, expires_at: end }: DiscountCode, now: Date): 'Active' | 'Inactive' | 'Expired' {
  if (!active) return 'Inactive';
  return end !== null && new Date(end) <= now ? 'Expired' : 'Active';
}

const TONES = { Active: 'good', Inactive: 'plain', Expired: 'warn' } as const;

function Status({ code, now }: { code: DiscountCode; now: Date }) {
  const state = getState(code, now);
  return <Chip tone={TONES[state]}>{state}</Chip>;
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
  const turn = useMutation({
    mutationFn: () => setDiscountCodeActive(code.id, !code.active),
    meta: { handled: true, invalidates: [queryKeys.discountCodes.all] },
    onSuccess: () =>
      toast({ title: code.active ? 'Discount code deactivated' : 'Discount code activated', description: code.code }),
    // The specification prescribes this text for every reason.
    onError: () => toast({ title: 'Error', description: 'Failed to update discount code status', tone: 'bad' }),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button tone="plain" onClick={() => onEdit(code)}>
        Edit <span className="sr-only">{code.code}</span>
      </Button>
      <Button tone="plain" busy={turn.isPending} onClick={() => turn.mutate()}>
        {code.active ? 'Deactivate' : 'Activate'} <span className="sr-only">{code.code}</span>
      </Button>
    </div>
  );
}
