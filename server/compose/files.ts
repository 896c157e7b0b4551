import type { Config } from '#server/config/operating/config.ts';
import { createStore } from '#server/start/open-adapters.ts';
import { createPictures } from '#server/storage/pictures/pictures.ts';
import { createStorageRouter } from '#server/storage/router.ts';
import type { Base } from './base.ts';
import type { Outside } from './outside.ts';
import type { Requests } from './requests.ts';

export type Files = Awaited<ReturnType<typeof openFiles>>;

/** Opens the store of objects, the decoder of pictures, and `/storage/v1`. */
export async function openFiles(
  config: Config,
  { db, people, keys, clock, overrides }: Base,
  { readGrantedWithKey, watch }: Requests,
  { observe }: Outside,
  opened: AsyncDisposableStack,
) {
  const store = overrides.store ?? (await createStore(config, observe));
  const pictures = overrides.pictures ?? createPictures();
  opened.defer(() => pictures.close());
  const storage = createStorageRouter({
    db: { ...people, as: db.as, transactionAs: db.transactionAs },
    store,
    pictures,
    clock,
    readCaller: readGrantedWithKey,
    sizeMax: config.storage.sizeMax,
    openUploads: config.storage.openUploads,
    marks: (text) => keys.hmacs('object-link', text),
    sessionAlive: (sessionId) => watch.alive(sessionId),
  });
  return { store, pictures, storage };
}
