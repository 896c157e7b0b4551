import { SHARED_PLUG } from './plugs.ts';
import type { Services } from '../core/services.ts';

/** The lights that a plug switches. */
export type Lights = {
  /** Null for the default plug. */
  readonly plug: string | null;
  readonly rooms: readonly { readonly studioId: string; readonly studioName: string }[];
  /** Whether the operator has set up the plug. */
  readonly isSetUp: boolean;
  /** Null if the plug does not answer. */
  readonly on: boolean | null;
};

/**
 * Reads the lights of the rooms that can be booked, one entry per plug. Rooms without any plug have no entry. `ask` returns null for a plug
 * that does not answer.
 */
export async function readLights(
  { db, plugs }: Services,
  ask: (isOn: () => Promise<boolean>) => Promise<boolean | null>,
): Promise<readonly Lights[]> {
  const { rows } = await db.query<{ plug: string; rooms: Lights['rooms'] }>(
    `select coalesce(p.plug, '') as plug,
       jsonb_agg(jsonb_build_object('studioId', s.id, 'studioName', s.name) order by s.sort_order, s.name) as rooms
     from public.studios s left join private.studio_plug p on p.studio_id = s.id
     where s.active group by 1 order by min(s.sort_order), 1`,
  );
  // If there is no default plug, rooms without their own plug have nothing to switch.
  const switched = rows.filter(({ plug }) => plug !== SHARED_PLUG || plugs.has(plug));
  return Promise.all(
    switched.map(async ({ plug, rooms }): Promise<Lights> => {
      const power = plugs.get(plug);
      return {
        plug: plug === SHARED_PLUG ? null : plug,
        rooms,
        isSetUp: power !== undefined,
        on: power === undefined ? null : await ask(() => power.isOn()),
      };
    }),
  );
}
