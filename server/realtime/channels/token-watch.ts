import type { RealtimeContext } from './context.ts';
import { getAccount } from '../core/accounts.ts';
import type { Rights } from '../core/ports.ts';
import { parseToken } from '../core/join-request.ts';
import { lostReadRight, systemErrors } from '../core/refusals.ts';
import { isFault, type Member, readMember } from '../core/token.ts';
import { type Channel, endChannel, failChannel, pushSystem } from './channel.ts';

/** Long waits are split into parts of this length, because timers over 24 days fire at once. */
const TIMER_MAX_MS = 5 * 60_000;

/**
 * Ends the channel when its token expires, and checks its session and rights every five minutes until then. The channel ends with
 * `phx_error`, after which the client rejoins with the token that it has renewed in the meantime.
 */
export function watchToken(context: RealtimeContext, channel: Channel): void {
  if (channel.expiry) clearTimeout(channel.expiry);
  if (channel.ended) return;
  const remainingMs = channel.member.expiresAt - context.clock().getTime();
  channel.expiry = setTimeout(
    () => {
      const late = (context.clock().getTime() - channel.member.expiresAt) / 1000;
      if (late < 0) {
        checkChannel(context, channel).catch((error: unknown) =>
          context.log.warn(
            { err: error },
            'the session and rights of a channel could not be checked; they are checked again later',
          ),
        );
        return watchToken(context, channel);
      }
      failChannel(context, channel, `Token has expired ${Math.floor(late)} seconds ago`, 'phx_error');
    },
    Math.max(0, Math.min(remainingMs, TIMER_MAX_MS)),
  );
  channel.expiry.unref();
}

/** Accepts a new token from the client. Without one, the channel continues as the holder of the socket's key. Sends no reply. */
export async function renewToken(context: RealtimeContext, channel: Channel, payload: unknown): Promise<void> {
  const sent =
    payload !== null && typeof payload === 'object' && 'access_token' in payload ? payload.access_token : null;
  const token = parseToken(sent) ?? channel.connection.keyHolder.token;
  if (token === channel.member.token) return;
  const member = await readMember(context.tokens, token, context.clock());
  if (channel.ended) return;
  if (isFault(member)) return failChannel(context, channel, member.message);
  if (!(await checkSession(context, channel, member))) return;
  if (!(await checkRights(context, channel, member))) return;
  if (!moveAccount(context, channel, member)) return failChannel(context, channel, systemErrors.tooManySockets);
  channel.member = member;
  channel.changes?.setMember(member);
  watchToken(context, channel);
}

/**
 * Checks the policies of a private channel again, because the token or the rights of its account have changed. Ends the channel if it may
 * no longer read. Returns whether the channel is still open.
 */
async function checkRights(
  context: Pick<RealtimeContext, 'authorization' | 'topics' | 'accounts'>,
  channel: Channel,
  member: Member = channel.member,
): Promise<boolean> {
  channel.writeRights.clear();
  if (!channel.topic.isPrivate || channel.ended) return !channel.ended;
  const { name } = channel.topic;
  const presence = channel.request.presence.enabled || channel.rights.readPresence;
  const rights = await context.authorization.rights(member, name, { presence });
  if (channel.ended) return false;
  if (lostRight(channel.rights, rights)) {
    failChannel(context, channel, lostReadRight(name));
    return false;
  }
  channel.rights = rights;
  // A write right that was looked up in the meantime may be outdated.
  channel.writeRights.clear();
  if (!channel.subscriber) return true;
  channel.subscriber.readsBroadcast = rights.readBroadcast;
  channel.subscriber.readsPresence &&= rights.readPresence;
  return true;
}

/** Counts the channel for the account of its new token. Returns false if that account has too many sockets. */
function moveAccount({ accounts }: RealtimeContext, channel: Channel, member: Member): boolean {
  const account = getAccount(member);
  if (account === channel.account) return true;
  if (!accounts.enter(account, channel.connection)) return false;
  accounts.leave(channel.account, channel.connection);
  channel.account = account;
  return true;
}

/** Ends the channel if the session of its token has ended, or if it may no longer read. */
export async function checkChannel(context: RealtimeContext, channel: Channel): Promise<void> {
  if (await checkSession(context, channel)) await checkRights(context, channel);
}

/** Ends the channel if the session of its token has ended. Returns whether the channel is still open. */
export async function checkSession(
  context: Pick<RealtimeContext, 'sessionAlive' | 'topics' | 'accounts'>,
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
