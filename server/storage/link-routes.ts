import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Caller, Env } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { addressOf, checkName } from './address.ts';
import { readJson } from './body.ts';
import { StorageRefusal } from './errors.ts';
import type { Objects } from './objects.ts';
import { sendObject } from './send.ts';
import { transformationSchema } from './pictures/transformation.ts';
import { readUpload } from './upload.ts';

const seconds = z.coerce.number().int().positive().max(1_000_000_000);
const oneSchema = z.looseObject({ expiresIn: seconds, transform: transformationSchema.nullish() });
const manySchema = z.looseObject({ expiresIn: seconds, paths: z.array(z.string().max(1_024)).max(500) });
const HIDDEN = 'Either the object does not exist or you do not have access to it';

type LinkDependencies = { readonly objects: Objects; readonly store: ObjectStore };

/** Adds the routes of signed URLs, for reading and writing. The token comes first in the query, because clients append to it with `&`. */
export function addLinks(
  router: Hono<Env>,
  { objects, store }: LinkDependencies,
  getCaller: (c: Context<Env>) => Promise<Caller>,
): void {
  // Names are not encoded here: the client encodes the whole URL.
  router.post('/object/upload/sign/:bucket/*', async (c) => {
    const { bucketId, name } = addressOf(c, 'object/upload/sign');
    const replace = c.req.header('x-upsert') === 'true';
    const token = await objects.signUpload(await getCaller(c), { bucketId, name, replace });
    return c.json({ url: `/object/upload/sign/${bucketId}/${name}?token=${token}`, token });
  });
  router.put('/object/upload/sign/:bucket/*', async (c) => {
    const { bucketId, name } = addressOf(c, 'object/upload/sign');
    checkName(name);
    const incoming = await readUpload(c.req.raw);
    const object = await objects.uploadSigned(bucketId, name, c.req.query('token') ?? '', incoming);
    return c.json({ Id: object.id, Key: `${object.bucket_id}/${object.name}` });
  });
  router.get('/object/sign/:bucket/*', async (c) => {
    const { bucketId, name } = addressOf(c, 'object/sign');
    const found = await objects.findSigned(bucketId, name, c.req.query('token') ?? '');
    return sendObject(c.req.raw, store, found);
  });
  router.post('/object/sign/:bucket', async (c) => {
    const caller = await getCaller(c);
    const { bucketId } = addressOf(c, 'object/sign');
    const { paths, expiresIn } = await readJson(c.req.raw, manySchema);
    const signed = [];
    for (const path of paths) {
      try {
        const token = await objects.sign(caller, { bucketId, name: path }, expiresIn, null);
        signed.push({ error: null, path, signedURL: `/object/sign/${bucketId}/${path}?token=${token}` });
      } catch (error) {
        if (!(error instanceof StorageRefusal)) throw error;
        signed.push({ error: HIDDEN, path, signedURL: null });
      }
    }
    return c.json(signed);
  });
  router.post('/object/sign/:bucket/*', async (c) => {
    const caller = await getCaller(c);
    const { bucketId, name } = addressOf(c, 'object/sign');
    const { expiresIn, transform = null } = await readJson(c.req.raw, oneSchema);
    const token = await objects.sign(caller, { bucketId, name }, expiresIn, transform);
    const kind = transform === null ? 'object' : 'render/image';
    return c.json({ signedURL: `/${kind}/sign/${bucketId}/${name}?token=${token}` });
  });
}
