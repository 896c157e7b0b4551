import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '#server/http/caller.ts';
import { parseAddress, checkName } from '../core/address.ts';
import { readJson } from '../core/body.ts';
import { getCaller, type StorageContext } from '../core/context.ts';
import { StorageRefusal } from '../core/errors.ts';
import { findSignedObject } from './find.ts';
import { uploadSignedObject } from './objects.ts';
import { signObject, signUpload } from './sign.ts';
import { sendObject } from '../core/send.ts';
import { transformationSchema } from '../core/transformation.ts';
import { readUpload } from '../core/upload.ts';

const seconds = z.coerce.number().int().positive().max(1_000_000_000);
const oneSchema = z.looseObject({ expiresIn: seconds, transform: transformationSchema.nullish() });
const manySchema = z.looseObject({ expiresIn: seconds, paths: z.array(z.string().max(1_024)).max(500) });
const HIDDEN = 'Either the object does not exist or you do not have access to it';

/** Adds the routes of signed URLs, for reading and writing. The token comes first in the query, because clients append to it with `&`. */
export function addLinks(router: Hono<Env>, context: StorageContext): void {
  addUploadLinks(router, context);
  router.get('/object/sign/:bucket/*', async (c) => {
    const at = parseAddress(c, 'object/sign');
    return sendObject(c.req.raw, context.store, await findSignedObject(context, at, c.req.query('token') ?? ''));
  });
  router.post('/object/sign/:bucket', async (c) => {
    const caller = await getCaller(context, c);
    const { bucketId } = parseAddress(c, 'object/sign');
    const { paths, expiresIn } = await readJson(c.req.raw, manySchema);
    const signed = [];
    for (const path of paths) {
      try {
        const token = await signObject(context, caller, { bucketId, name: path }, expiresIn, null);
        signed.push({ error: null, path, signedURL: `/object/sign/${bucketId}/${path}?token=${token}` });
      } catch (error) {
        if (!(error instanceof StorageRefusal)) throw error;
        signed.push({ error: HIDDEN, path, signedURL: null });
      }
    }
    return c.json(signed);
  });
  router.post('/object/sign/:bucket/*', async (c) => {
    const caller = await getCaller(context, c);
    const at = parseAddress(c, 'object/sign');
    const { expiresIn, transform = null } = await readJson(c.req.raw, oneSchema);
    const token = await signObject(context, caller, at, expiresIn, transform);
    const kind = transform === null ? 'object' : 'render/image';
    return c.json({ signedURL: `/${kind}/sign/${at.bucketId}/${at.name}?token=${token}` });
  });
}

function addUploadLinks(router: Hono<Env>, context: StorageContext): void {
  // Names are not encoded here, because the client encodes the whole URL.
  router.post('/object/upload/sign/:bucket/*', async (c) => {
    const { bucketId, name } = parseAddress(c, 'object/upload/sign');
    const replace = c.req.header('x-upsert') === 'true';
    const token = await signUpload(context, await getCaller(context, c), { bucketId, name, replace });
    return c.json({ url: `/object/upload/sign/${bucketId}/${name}?token=${token}`, token });
  });
  router.put('/object/upload/sign/:bucket/*', async (c) => {
    const at = parseAddress(c, 'object/upload/sign');
    checkName(at.name);
    const incoming = await readUpload(c.req.raw);
    const object = await uploadSignedObject(context, at, c.req.query('token') ?? '', incoming);
    return c.json({ Id: object.id, Key: `${object.bucket_id}/${object.name}` });
  });
}
