import { openConnection } from './connection.ts';

/** The input of the refreshes. `sessions`: the newest refresh token of each session, which is replaced in place. */
export type RefreshOptions = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sessions: string[];
  readonly seconds: number;
  readonly connections: number;
};

/** Refreshes the sessions in turn, each connection its own sessions. Returns refreshes per second. Throws if one is refused. */
export async function refreshInChains(url: string, options: RefreshOptions): Promise<number> {
  const { path, headers, sessions, seconds, connections } = options;
  let count = 0;
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const caller = await openConnection(url);
      for (
        let index = connection;
        performance.now() < end;
        index = index + connections < sessions.length ? index + connections : connection
      ) {
        const body = JSON.stringify({ refresh_token: sessions[index] });
        const answer = await caller.send({ method: 'POST', path, headers, body });
        if (answer.status !== 200) throw new Error(`a refresh was refused: ${answer.status} ${answer.body.toString()}`);
        const { refresh_token }: { refresh_token: string } = JSON.parse(answer.body.toString());
        sessions[index] = refresh_token;
        count += 1;
      }
      caller.close();
    }),
  );
  return count / seconds;
}
