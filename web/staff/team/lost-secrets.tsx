import { formatStudioDateTime } from '#rules/studio-time.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import type { LostSecret } from './queries.ts';

const COLUMNS = ['What', 'Room', 'Seen by', 'Status'];

/**
 * Lists door codes and calendar addresses that people saw under a permission that they no longer have, with the state of each. Shows
 * nothing if there are none.
 */
export function LostSecrets({ secrets }: { secrets: readonly LostSecret[] }) {
  if (secrets.length === 0) return null;
  const open = secrets.filter(({ state }) => state === 'stays').length;
  return (
    <section className="mt-10">
      <h3 className="mb-2 text-2xl">Seen with a former permission</h3>
      <p className="mb-4 text-fog">
        Door codes and calendar addresses that people saw with a permission they no longer have. Times are in Sydney
        time.
      </p>
      {open === 0 ? null : (
        <div className="mb-4">
          <Notice tone="warn">
            <p>
              {open === 1 ? 'One code still opens' : `${open} codes still open`} a door, because its lock can’t remove
              codes. Secure the room another way if needed.
            </p>
          </Notice>
        </div>
      )}
      <Table caption="Seen with a former permission" columns={COLUMNS}>
        {secrets.map((secret) => (
          <Row key={secret.id}>
            <Cell label="What" className="break-words">
              {describe(secret)}
            </Cell>
            <Cell label="Room">{secret.studioName}</Cell>
            <Cell label="Seen by" className="break-words">
              {secret.person ?? 'Deleted account'}
            </Cell>
            <Cell label="Status">
              <State secret={secret} />
            </Cell>
          </Row>
        ))}
      </Table>
    </section>
  );
}

function describe({ kind, about }: LostSecret): string {
  if (kind === 'calendar-feed') return 'Calendar address';
  return kind === 'staff-code' ? `Code for ${about ?? 'an unknown person'}` : `Code for booking ${about ?? ''}`;
}

function State({ secret: { kind, state, startsAt, endsAt } }: { secret: LostSecret }) {
  if (state === 'ended')
    return (
      <>
        <Chip tone="good">Revoked</Chip>
        {kind === 'calendar-feed' ? (
          <span className="block text-sm text-fog">Create a new address in the calendar for those who need it.</span>
        ) : null}
        {kind === 'booking-code' ? (
          <span className="block text-sm text-fog">The customer got a new code by email.</span>
        ) : null}
      </>
    );
  const window =
    endsAt === null
      ? ''
      : `${startsAt === null ? '' : `from ${formatStudioDateTime(startsAt)} `}until ${formatStudioDateTime(endsAt)}`;
  return (
    <>
      {state === 'ending' ? <Chip tone="warn">Being removed</Chip> : <Chip tone="bad">Still works</Chip>}
      <span className="block text-sm text-fog">{window}</span>
    </>
  );
}
