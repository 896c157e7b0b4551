import { randomUUID } from 'node:crypto';

/** Every route of `/storage/v1`, how to call it, and who may call it: the expected outcomes of the storage matrix. */

export type Whose = 'own' | 'other' | 'nobody';
/** Staff may do everything that a person may. */
export type Who = 'guest' | 'person' | 'staff' | 'dead' | 'service';
export type BucketName = 'id-verifications' | 'incidents' | 'notes' | 'posters' | 'rooms';

/** One call of a route, with a caller, a bucket and an object. */
export type Attempt = {
  readonly who: Who;
  readonly whose: Whose;
  readonly bucket: BucketName;
  /** An existing object with content; for `nobody`, a name that does not exist. */
  readonly name: string;
  /** Inserts the row of another object in the same folder with the same owner, and returns its name. */
  seed(bucket?: BucketName): Promise<string>;
  /** Returns an unused name in the same folder. */
  free(): string;
  /** Sends a request as the principal. `bare` omits the token. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>, bare?: boolean): Promise<Answer>;
  /** A token of the owner of the other objects, for one of their objects. */
  readonly otherToken: string;
  /** The address of an upload that the owner of the other objects has started. */
  readonly otherUpload: string;
  exists(bucket: string, name: string): Promise<boolean>;
  bucketExists(id: string): Promise<boolean>;
};
export type Answer = { status: number; bytes: Buffer; json: unknown; headers: Headers };

export const PICTURE = { 'content-type': 'image/jpeg' };
const TUS = { 'tus-resumable': '1.0.0' };
const path = (name: string): string => name.split('/').map(encodeURIComponent).join('/');
const fine = ({ status }: Answer): boolean => status >= 200 && status < 300;
const field = (json: unknown, name: string): unknown => Object.entries(json ?? {}).find(([key]) => key === name)?.[1];

/** `run` returns whether the call succeeded. It throws if the call succeeded only in part. */
type Route = { readonly kind: Kind; readonly run: (attempt: Attempt, photo: Buffer) => Promise<boolean> };

/** Requires that several tries have the same outcome, and returns it. */
async function same(tries: readonly Promise<boolean>[]): Promise<boolean> {
  const all = await Promise.all(tries);
  if (all.some((outcome) => outcome !== all[0])) throw new Error(`some got through: ${all.join(' ')}`);
  return all[0] ?? false;
}

/** Reads an object with GET, HEAD, a range, and a fully percent-encoded path. */
function reading(kind: Kind, prefix: string, bare = false): Route {
  return {
    kind,
    run: ({ ask, bucket, name }) => {
      const at = `${prefix}/${bucket}/${path(name)}`;
      const odd = `${prefix}/${bucket}/${[...Buffer.from(name)].map((byte) => `%${byte.toString(16)}`).join('')}`;
      const get = async (method: string, address: string, headers: Record<string, string> = {}) => {
        const answer = await ask(method, address, undefined, headers, bare);
        if (!fine(answer) && answer.bytes.includes('JFIF')) throw new Error('bytes in a refusal');
        return fine(answer);
      };
      return same([get('GET', at), get('HEAD', at), get('GET', at, { range: 'bytes=0-9' }), get('GET', odd)]);
    },
  };
}
function uploading(kind: Kind, method: string, headers: Record<string, string> = {}): Route {
  return {
    kind,
    run: async ({ ask, bucket, seed, free, exists }, photo) => {
      const name = kind === 'replace' ? await seed() : free();
      const answer = await ask(method, `/object/${bucket}/${path(name)}`, photo, { ...PICTURE, ...headers });
      if (kind === 'add' && fine(answer) !== (await exists(bucket, name))) throw new Error('it half happened');
      return fine(answer);
    },
  };
}
const tusMetadata = (bucket: string, name: string): string =>
  `bucketName ${btoa(bucket)},objectName ${btoa(name)},contentType ${btoa('image/jpeg')}`;
function begin({ ask, bucket, free }: Attempt, photo: Buffer): Promise<Answer> {
  const headers = { ...TUS, 'upload-length': String(photo.length), 'upload-metadata': tusMetadata(bucket, free()) };
  return ask('POST', '/upload/resumable', undefined, headers);
}
/** Resumes an upload of the caller, of another person, or one that does not exist. */
function resuming(method: string, override?: string): Route {
  return {
    kind: 'resume',
    run: async (attempt, photo) => {
      const begun = attempt.whose === 'own' ? await begin(attempt, photo) : null;
      const mine = begun?.headers.get('location')?.replace('/storage/v1', '');
      const theirs = attempt.whose === 'nobody' ? `/upload/resumable/${randomUUID()}` : attempt.otherUpload;
      const patch = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
      const headers = override ? { ...patch, 'x-http-method-override': override } : patch;
      // Uploads of other people get a body that is too large, so that a security hole would not complete them.
      const body =
        method === 'PATCH' || method === 'POST' ? (mine ? photo : Buffer.alloc(photo.length + 1)) : undefined;
      const answer = await attempt.ask(method, mine ?? theirs, body, headers);
      return fine(answer) || answer.status === 413;
    },
  };
}
/** Reads with a signed token. A caller without the right to sign uses another person's token for another object. */
function signedReading(prefix: string, transform?: unknown): Route {
  return {
    kind: transform ? 'render' : 'sign',
    run: async ({ ask, bucket, name, otherToken }) => {
      const signed = await ask('POST', `/object/sign/${bucket}/${path(name)}`, { expiresIn: 30, transform });
      const url = field(signed.json, 'signedURL');
      const token = typeof url === 'string' ? url.split('?token=')[1] : otherToken;
      const answer = await ask('GET', `${prefix}/${bucket}/${path(name)}?token=${token}`, undefined, {}, true);
      return fine(answer);
    },
  };
}
function relocating(kind: Kind, verb: string): Route {
  return {
    kind,
    run: async ({ ask, bucket, name, seed, free, exists, whose }) => {
      const sourceKey = verb === 'move' && whose !== 'nobody' ? await seed() : name;
      const destinationKey = free();
      const answer = await ask('POST', `/object/${verb}`, { bucketId: bucket, sourceKey, destinationKey });
      if (bucket === 'id-verifications') {
        // A copy into another bucket must fail too.
        const destination = { destinationKey: free(), destinationBucket: 'notes' };
        if (fine(await ask('POST', `/object/${verb}`, { bucketId: bucket, sourceKey, ...destination })))
          throw new Error('it left its bucket');
      }
      if (fine(answer) !== (await exists(bucket, destinationKey))) throw new Error('it half happened');
      return fine(answer);
    },
  };
}
function listing(verb: string): Route {
  return {
    kind: 'list',
    run: async ({ ask, bucket, name }) => {
      const answer = await ask('POST', `/object/${verb}/${bucket}`, { prefix: `${name.split('/')[0]}/`, limit: 1_000 });
      return JSON.stringify(answer.json).includes(name.split('/').at(-1) ?? '');
    },
  };
}
async function removing(attempt: Attempt, single: boolean): Promise<boolean> {
  const { ask, bucket, seed, name, whose, exists } = attempt;
  const target = whose === 'nobody' ? name : await seed();
  if (single) await ask('DELETE', `/object/${bucket}/${path(target)}`);
  else await ask('DELETE', `/object/${bucket}`, { prefixes: [target] });
  return whose !== 'nobody' && !(await exists(bucket, target));
}

export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /bucket': {
    kind: 'know',
    run: async ({ ask, bucket }) => JSON.stringify((await ask('GET', '/bucket')).json).includes(`"${bucket}"`),
  },
  'GET /bucket/:id': { kind: 'know', run: async ({ ask, bucket }) => fine(await ask('GET', `/bucket/${bucket}`)) },
  'POST /bucket': {
    kind: 'make',
    run: async ({ ask, bucketExists }) => {
      const id = randomUUID();
      await ask('POST', '/bucket', { id, name: id, public: false });
      return bucketExists(id);
    },
  },
  'PUT /bucket/:id': {
    kind: 'change',
    run: async ({ ask, bucket }) =>
      fine(await ask('PUT', `/bucket/${bucket}`, { public: ['posters', 'rooms'].includes(bucket) })),
  },
  'DELETE /cdn/:id{.+}': { kind: 'purge', run: async ({ ask, bucket }) => fine(await ask('DELETE', `/cdn/${bucket}`)) },

  'GET /object/:bucket/*': reading('read', '/object'),
  'GET /object/authenticated/:bucket/*': reading('read', '/object/authenticated'),
  'GET /object/info/:bucket/*': reading('read', '/object/info'),
  'GET /object/info/authenticated/:bucket/*': reading('read', '/object/info/authenticated'),
  'GET /object/public/:bucket/*': reading('public', '/object/public', true),
  'GET /object/info/public/:bucket/*': reading('public', '/object/info/public', true),
  'GET /render/image/authenticated/:bucket/*': reading('render', '/render/image/authenticated'),
  'GET /render/image/public/:bucket/*': reading('public', '/render/image/public', true),
  'GET /render/image/sign/:bucket/*': signedReading('/render/image/sign', { width: 4 }),
  'GET /object/sign/:bucket/*': signedReading('/object/sign'),
  'POST /object/sign/:bucket/*': {
    kind: 'sign',
    run: async ({ ask, bucket, name }) =>
      fine(await ask('POST', `/object/sign/${bucket}/${path(name)}`, { expiresIn: 9 })),
  },
  'POST /object/sign/:bucket': {
    kind: 'sign',
    run: async ({ ask, bucket, name }) => {
      const { json } = await ask('POST', `/object/sign/${bucket}`, { expiresIn: 9, paths: [name] });
      return Array.isArray(json) && typeof field(json[0], 'signedURL') === 'string';
    },
  },
  'POST /object/list/:bucket': listing('list'),
  'POST /object/list-v2/:bucket': listing('list-v2'),

  'POST /object/:bucket/*': uploading('add', 'POST'),
  'PUT /object/:bucket/*': uploading('replace', 'PUT'),
  'POST /object/upload/sign/:bucket/*': {
    kind: 'add',
    run: async ({ ask, bucket, free }) => fine(await ask('POST', `/object/upload/sign/${bucket}/${path(free())}`, {})),
  },
  'PUT /object/upload/sign/:bucket/*': {
    kind: 'add',
    run: async ({ ask, bucket, free, otherToken }, photo) => {
      const at = `/object/upload/sign/${bucket}/${path(free())}`;
      const given = field((await ask('POST', at, {})).json, 'token');
      const token = typeof given === 'string' ? given : otherToken;
      return fine(await ask('PUT', `${at}?token=${token}`, photo, PICTURE, true));
    },
  },
  'POST /object/move': relocating('move', 'move'),
  'POST /object/copy': relocating('copy', 'copy'),
  'DELETE /object/:bucket': { kind: 'remove', run: (attempt) => removing(attempt, false) },
  'DELETE /object/:bucket/*': { kind: 'remove', run: (attempt) => removing(attempt, true) },

  'POST /upload/resumable': { kind: 'add', run: async (attempt, photo) => fine(await begin(attempt, photo)) },
  'GET /upload/resumable/:id': resuming('HEAD'),
  'PATCH /upload/resumable/:id': resuming('PATCH'),
  'POST /upload/resumable/:id': resuming('POST', 'PATCH'),
  'DELETE /upload/resumable/:id': resuming('DELETE'),
  ...signedResumables(),

  // These come last, because they empty and delete buckets.
  'POST /bucket/:id/empty': {
    kind: 'empty',
    run: async ({ ask, bucket, seed, exists, whose }) => {
      const name = whose === 'nobody' ? '' : await seed();
      const answer = await ask('POST', `/bucket/${bucket}/empty`, {});
      return whose !== 'nobody' && fine(answer) && !(await exists(bucket, name));
    },
  },
  'DELETE /bucket/:id': {
    kind: 'delete',
    run: async ({ ask, bucket, bucketExists }) => {
      await ask('DELETE', `/bucket/${bucket}`);
      return !(await bucketExists(bucket));
    },
  },
};

/** Uploads with a signed token. A caller without the right to sign uses another person's token for another object. */
function signedResumables(): Record<string, Route> {
  const trying =
    (method: string | null, override?: string) =>
    async (attempt: Attempt, photo: Buffer): Promise<boolean> => {
      const { ask, bucket, free, otherToken } = attempt;
      const name = free();
      const given = field((await ask('POST', `/object/upload/sign/${bucket}/${path(name)}`, {})).json, 'token');
      const signature = { ...TUS, 'x-signature': typeof given === 'string' ? given : otherToken };
      const created = await ask(
        'POST',
        '/upload/resumable/sign',
        undefined,
        { ...signature, 'upload-length': String(photo.length), 'upload-metadata': tusMetadata(bucket, name) },
        true,
      );
      if (method === null) return fine(created);
      const mine = created.headers.get('location')?.replace('/storage/v1', '');
      const at = mine ?? attempt.otherUpload.replace('/resumable/', '/resumable/sign/');
      const more = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
      const headers = { ...signature, ...more, ...(override ? { 'x-http-method-override': override } : {}) };
      const body = method === 'PATCH' || method === 'POST' ? photo : undefined;
      return fine(await ask(method, at, body, headers, true));
    };
  return {
    'POST /upload/resumable/sign': { kind: 'add', run: trying(null) },
    'GET /upload/resumable/sign/:id': { kind: 'add', run: trying('HEAD') },
    'PATCH /upload/resumable/sign/:id': { kind: 'add', run: trying('PATCH') },
    'POST /upload/resumable/sign/:id': { kind: 'add', run: trying('POST', 'PATCH') },
    'DELETE /upload/resumable/sign/:id': { kind: 'add', run: trying('DELETE') },
  };
}

/**
 * A kind of route. RULES lists who may call each kind in a bucket: `who whose`, with `*` for all; every other call is refused. A `person`
 * is signed in, and a `dead` session has ended.
 */
export type Kind =
  | 'know'
  | 'make'
  | 'change'
  | 'purge'
  | 'empty'
  | 'delete'
  | 'read'
  | 'public'
  | 'render'
  | 'sign'
  | 'list'
  | 'add'
  | 'replace'
  | 'move'
  | 'copy'
  | 'remove'
  | 'resume';
type Rules = Readonly<Record<Kind, readonly string[]>>;

const THERE = ['service own', 'service other'];
const MINE = ['person own', ...THERE];
const SEEN = ['staff own', 'staff other', ...THERE];
export const RULES: Readonly<Record<BucketName, Rules>> = {
  // Only for the owner, not even for the service. Objects cannot be replaced, rendered, moved, copied or made public.
  'id-verifications': {
    know: ['person *', 'service *'],
    make: ['service *'],
    change: [],
    purge: ['service *'],
    empty: MINE,
    delete: [],
    read: ['person own'],
    public: [],
    render: [],
    sign: ['person own'],
    list: ['person own'],
    add: ['person own', 'service *'],
    replace: ['service *'],
    move: [],
    copy: [],
    remove: MINE,
    resume: ['person own', 'service own'],
  },
  // Private, for staff: they add to their own folder and see all objects. Only the service replaces or removes.
  incidents: {
    know: ['person *', 'service *'],
    make: ['service *'],
    change: ['service *'],
    purge: ['service *'],
    empty: THERE,
    delete: ['service *'],
    read: SEEN,
    public: [],
    render: SEEN,
    sign: SEEN,
    list: SEEN,
    add: ['staff own', 'service *'],
    replace: ['service *'],
    move: THERE,
    copy: ['staff own', ...THERE],
    remove: THERE,
    resume: ['staff own', 'service own'],
  },
  // Public; staff add and remove objects. Only the service replaces.
  rooms: {
    know: ['person *', 'service *'],
    make: ['service *'],
    change: ['service *'],
    purge: ['service *'],
    empty: SEEN,
    delete: ['service *'],
    read: SEEN,
    public: ['* own', '* other'],
    render: SEEN,
    sign: SEEN,
    list: SEEN,
    add: ['staff *', 'service *'],
    replace: ['service *'],
    move: THERE,
    copy: ['staff own', 'staff other', ...THERE],
    remove: SEEN,
    resume: ['staff own', 'service own'],
  },
  // Private, with a policy that gives each person a folder.
  notes: {
    know: ['person *', 'service *'],
    make: ['service *'],
    change: ['service *'],
    purge: ['service *'],
    empty: MINE,
    delete: ['service *'],
    read: MINE,
    public: [],
    render: MINE,
    sign: MINE,
    list: MINE,
    add: ['person own', 'service *'],
    replace: ['person own', 'service *'],
    move: MINE,
    copy: MINE,
    remove: MINE,
    resume: ['person own', 'service own'],
  },
  // Public, without a policy.
  posters: {
    know: ['person *', 'service *'],
    make: ['service *'],
    change: ['service *'],
    purge: ['service *'],
    empty: THERE,
    delete: ['service *'],
    read: THERE,
    public: ['* own', '* other'],
    render: THERE,
    sign: THERE,
    list: THERE,
    add: ['service *'],
    replace: ['service *'],
    move: THERE,
    copy: THERE,
    remove: THERE,
    resume: ['service own'],
  },
};

export function allowed(kind: Kind, bucket: BucketName, who: Who, whose: Whose): boolean {
  return RULES[bucket][kind].some((rule) => {
    const [ruleWho, ruleWhose] = rule.split(' ');
    const isWho = ruleWho === '*' || ruleWho === who || (ruleWho === 'person' && who === 'staff');
    return isWho && (ruleWhose === '*' || ruleWhose === whose);
  });
}
