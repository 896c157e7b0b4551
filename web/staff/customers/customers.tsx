import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatDollars } from '#rules/money.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { CustomerPanel } from './customer-panel.tsx';
import { type Customer, CUSTOMERS_SHOWN, getName, searchCustomers } from './queries.ts';

const COLUMNS = ['Customer', 'Contact', 'Bookings', 'Paid', 'Actions'];

/**
 * Lists the customers that match the words, by parts of name, address or phone number, and shows one. `mayIdentify`: whether the account
 * may see and withdraw IDs.
 */
export function Customers({
  words,
  mayIdentify,
  mayRefund,
  messages,
  guests,
}: {
  words: string;
  mayIdentify: boolean;
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
  /** Renders the mails to a customer. */
  messages: (userId: string) => ReactNode;
  /** The bookings without an account that match the words. */
  guests: ReactNode;
}) {
  useLive('staff', queryKeys.customers.all);
  const customers = useQuery({ queryKey: queryKeys.customers.of(words), queryFn: () => searchCustomers(words) });
  const [open, setOpen] = useState<string | null>(null);
  const shown = customers.data?.find((customer) => customer.user_id === open);
  return (
    <>
      <h2 className="mb-6 text-3xl">Customers</h2>
      <Loaded query={customers} what="the customers" why={describeLoadError} skeleton="h-72">
        {(data) => <List customers={data} onOpen={setOpen} />}
      </Loaded>
      {words === '' ? null : guests}
      <Dialog
        open={shown !== undefined}
        title={shown === undefined ? 'Customer' : getName(shown)}
        wide
        onClose={() => setOpen(null)}
      >
        {shown === undefined ? null : (
          <CustomerPanel
            key={shown.user_id}
            customer={shown}
            mayIdentify={mayIdentify}
            mayRefund={mayRefund}
            messages={messages(shown.user_id)}
          />
        )}
      </Dialog>
    </>
  );
}

function List({ customers, onOpen }: { customers: readonly Customer[]; onOpen: (id: string) => void }) {
  if (customers.length === 0) return <Empty>No customers with an account match.</Empty>;
  return (
    <>
      <Table caption="Customers" columns={COLUMNS}>
        {customers.map((customer) => (
          <Row key={customer.user_id}>
            <Cell label="Customer" className="break-words sm:max-lg:col-span-2">
              {getName(customer)} {customer.block_reason === null ? null : <Chip tone="bad">Blocked</Chip>}
            </Cell>
            <Cell label="Contact" className="text-sm break-words text-fog max-sm:col-span-full">
              {[customer.email, customer.phone].filter(Boolean).join(', ')}
            </Cell>
            <Cell label="Bookings" className="tabular-nums">
              {customer.bookings}
            </Cell>
            <Cell label="Paid" className="tabular-nums">
              {formatDollars(customer.paid)}
            </Cell>
            <Cell label="" className="max-lg:col-[-2/-1]! max-lg:row-start-1 max-lg:justify-self-end">
              <Button tone="plain" onClick={() => onOpen(customer.user_id)}>
                Open <span className="sr-only">{getName(customer)}</span>
              </Button>
            </Cell>
          </Row>
        ))}
      </Table>
      {customers.length === CUSTOMERS_SHOWN ? (
        <p className="mt-4 text-sm text-fog">Showing the newest {CUSTOMERS_SHOWN}. Add a word to find others.</p>
      ) : null}
    </>
  );
}
