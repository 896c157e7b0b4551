import type { RealtimeContext } from './context.ts';
import type { Rights } from '../core/ports.ts';
import { tokenOf } from '../core/join-request.ts';
import { lostReadRight } from '../core/refusals.ts';
import { isFault, type Member, readMember } from '../core/token.ts';
import { type Channel, endChannel, failChannel, pushSystem } from './channel.ts';

/** Timers over 24 days fire at once, so long waits are cut into parts. */
const TIMER_MAX_MS = 5 * 60_000;

/**
 * Ends the channel when its token expires. It ends with `phx_error`: the client then joins again by itself, with the token that it has
 * renewed in the meantime.
 */
export function watchToken(context: Pick<RealtimeContext, 'clock' | 'topics'>, channel: Channel): void {
  if (channel.expiry) clearTimeout(channel.expiry);
  if (channel.ended) return;
  const left = channel.member.expiresAt - context.clock().getTime();
  channel.expiry = setTimeout(
    () => {
      const late = (context.clock().getTime() - channel.member.expiresAt) / 1000;
      if (late < 0) return watchToken(context, channel);
      failChannel(context, channel, `Token has expired ${Math.floor(late)} seconds ago`, 'phx_error');
    },
    Math.max(0, Math.min(left, TIMER_MAX_MS)),
  );
  channel.expiry.unref();
}

/** Takes a new token of the client. Without one, the channel continues as the holder of the socket's key. Sends no reply. */
export async function renewToken(context: RealtimeContext, channel: Channel, payload: unknown): Promise<void> {
  const sent =
    payload !== null && typeof payload === 'object' && 'access_token' in payload ? payload.access_token : null;
  const token = tokenOf(sent) ?? channel.connection.keyHolder.token;
  if (token === channel.member.token) return;
  const member = await readMember(context.verify, token, context.clock());
  if (channel.ended) return;
  if (isFault(member)) return failChannel(context, channel, member.message);
  if (!(await checkSession(context, channel, member))) return;
  if (channel.topic.isPrivate) {
    const rights = await context.authorization.rights(member, channel.topic.name, {
      presence: channel.request.presence.enabled,
    });
    if (channel.ended) return;
    if (lostRight(channel.rights, rights)) return failChannel(context, channel, lostReadRight(channel.topic.name));
    channel.rights = rights;
    if (channel.subscriber) {
      channel.subscriber.readsBroadcast = rights.readBroadcast;
      channel.subscriber.readsPresence &&= rights.readPresence;
    }
  }
  channel.member = member;
  channel.writeRights.clear();
  channel.changes?.setMember(member);
  watchToken(context, channel);
}

/** Ends the channel when the session of its token has ended. Returns whether it lives. */
export async function checkSession(
  context: Pick<RealtimeContext, 'sessionAlive' | 'topics'>,
  channel: Channel,
  member: Member = channel.member,
): Promise<boolean> {
  if (member.sessionId === null || (await context.sessionAlive(member.sessionId))) return !channel.ended;
  if (!channel.ended) {
    pushSystem(channel, { extension: 'system', status: 'error', message: 'The session of this token has ended' });
    endChannel(context, channel, 'phx_close');
  }
  return false;
}

const lostRight = (before: Rights, now: Rights): boolean =>
  (before.readBroadcast && !now.readBroadcast) || (before.readPresence && !now.readPresence);
