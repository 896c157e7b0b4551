import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCore } from '../core/core.ts';
import { createLicencePages } from './licence.ts';
import { createSpecimenMemory } from './memory.ts';
import { drawLicence } from './picture.ts';
import { printedDate, readSpecimen, SAMPLE, type Specimen, STATES } from './specimen.ts';

const people: Specimen[] = [
  SAMPLE,
  { ...SAMPLE, given: 'Samantha Jane', family: 'Whitfield-Brown', dob: '1987-11-29', expiry: '2029-01-15' },
  { ...SAMPLE, given: 'Li', family: "O'Neill", dob: '2001-08-08', expiry: '2027-12-31', state: 'VIC' },
  { ...SAMPLE, given: 'Maximilian', family: 'Featherstonehaugh', dob: '1969-10-10', expiry: '2030-06-06', blur: 1 },
  { ...SAMPLE, given: 'Priya', family: 'Raghunathan', dob: '2004-02-29', expiry: '2028-07-17', state: 'QLD', tilt: 1 },
];

/** The specimens that are read. There are few by default, because each takes seconds of processor time. */
const read = process.env['TEST_LONG'] ? people : people.slice(-2);

describe('a specimen licence', () => {
  let worker: Worker;
  beforeAll(async () => {
    const require = createRequire(import.meta.url);
    const langPath = join(dirname(require.resolve('@tesseract.js-data/eng/package.json')), '4.0.0_best_int');
    worker = await createWorker('eng', OEM.LSTM_ONLY, { langPath, gzip: true, cacheMethod: 'none' });
    await worker.setParameters({ tessedit_pageseg_mode: PSM.SPARSE_TEXT, preserve_interword_spaces: '1' });
  });
  afterAll(async () => worker.terminate());

  it.each(read)('of $given $family can be read by OCR', async (person) => {
    const picture = await sharp(await drawLicence(person))
      .resize({ width: 1_800 })
      .grayscale()
      .png()
      .toBuffer();
    const { text } = (await worker.recognize(picture)).data;
    const lines = text.split('\n').map((line) => line.trim());
    for (const line of [
      'DRIVER LICENCE',
      STATES[person.state],
      person.given,
      person.family.toUpperCase(),
      'DATE OF BIRTH',
      'EXPIRY DATE',
      printedDate(person.dob),
      printedDate(person.expiry),
    ])
      expect(lines).toContain(line);
    expect(text).toContain('SPECIMEN');
    expect(lines.indexOf(person.given)).toBeLessThan(lines.indexOf(person.family.toUpperCase()));
  });
});

it('is a JPEG of 1280 × 800, and the same request gives the same picture', async () => {
  const picture = await drawLicence(SAMPLE);
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 1_280, height: 800 });
  expect(picture.equals(await drawLicence(SAMPLE))).toBe(true);
});

describe('requests for a specimen', () => {
  const read = (query: string): unknown => readSpecimen(new URLSearchParams(query));
  it('take missing values from the sample, and are refused with a message', () => {
    expect(read('')).toEqual(SAMPLE);
    expect(read('given=&family=Madonna&state=vic&tilt=-3.5')).toMatchObject({ given: '', state: 'VIC', tilt: -3.5 });
    for (const [query, word] of [
      ['given=&family=', 'given'],
      ['dob=2001-02-30', 'dob'],
      ['expiry=soon', 'expiry'],
      ['state=ZZ', 'state'],
      ['tilt=90', 'tilt'],
      ['blur=-1', 'blur'],
      [`given=${'x'.repeat(41)}`, '40'],
    ])
      expect(read(query ?? ''), query).toContain(word);
  });
  it('are drawn under /licence.jpg and chosen under /specimens', async () => {
    const core = createCore({ port: 0, webhookTarget: 'http://127.0.0.1:9', stateFile: null });
    const app = createLicencePages(createSpecimenMemory(core), core.now);
    const picture = await app.request('/licence.jpg?given=%3Cb%3E&family=O%27Neill%26Co');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await app.request('/licence.jpg?dob=never')).status).toBe(400);
    const page = await (await app.request('/specimens?given=%3Cb%3E&family=Kim')).text();
    expect(page).toContain('value="&lt;b&gt;"');
    expect(page).toContain('Save the picture');
  });
});

describe('recognition of specimens', () => {
  it('works in another size and format, and distinguishes people who differ in one letter or digit', async () => {
    const core = createCore({ port: 0, webhookTarget: 'http://127.0.0.1:9', stateFile: null });
    const memory = createSpecimenMemory(core);
    const crowd = [SAMPLE, { ...SAMPLE, given: 'Alec' }, { ...SAMPLE, dob: '1998-04-08' }, { ...SAMPLE, tilt: 4 }];
    for (const specimen of crowd) await memory.remember(specimen, await drawLicence(specimen));
    const redraw = async (specimen: Specimen): Promise<Sharp> => sharp(await drawLicence(specimen));
    const [first = SAMPLE, , other = SAMPLE] = crowd;
    const small = (await redraw(first)).resize(800).jpeg({ quality: 60 });
    expect(await memory.recognise(await small.toBuffer())).toEqual(first);
    const large = (await redraw(other)).resize(2_000).webp({ quality: 70 });
    expect(await memory.recognise(await large.toBuffer())).toEqual(other);
    const otherUser = await drawLicence({ ...SAMPLE, given: 'Robin', family: 'Sample' });
    expect(await memory.recognise(otherUser)).toBeNull();
    const table = { width: 900, height: 600, channels: 3, background: '#6f5741' } as const;
    expect(await memory.recognise(await sharp({ create: table }).png().toBuffer())).toBeNull();
  });
});
