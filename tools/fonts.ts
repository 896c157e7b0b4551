import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Subsets the font Archivo to the characters that the site uses: `node tools/fonts.ts`. Needs fonttools (`apt-get install fonttools
 * python3-brotli`). The licence (web/fonts/LICENSE, SIL OFL 1.1) allows it and must be shipped with the font.
 */
const CHARACTERS = {
  /** The characters of the site's own texts, which every page loads before it is painted. */
  archivo: 'U+0020-007E,U+00A0,U+00A9,U+00B7,U+00D7,U+2013,U+2014,U+2018-201D,U+2026,U+2190,U+2192',
  /** The other characters of Western Europe, for names and for texts that staff write. */
  'archivo-accents': 'U+00A1-00A8,U+00AA-00B6,U+00B8-00D6,U+00D8-00FF,U+2022,U+2191,U+2193,U+20AC,U+2122,U+2212',
} as const;
const FEATURES = 'kern,tnum';
/** Only programs with a menu of fonts read this table. */
const UNUSED_TABLE = 'STAT';

/**
 * Removes the parts that pages do not use from the font of this name: every kerning pair with the space, and the outlines of letters that
 * are both light and narrow, because narrow text is heavy everywhere. The latter are an eighth of the file.
 */
const REMOVE_UNUSED = `
import sys
from fontTools.ttLib import TTFont
font = TTFont(sys.argv[1])
space = font.getBestCmap().get(32)
for lookup in font['GPOS'].table.LookupList.Lookup:
    for table in lookup.SubTable:
        table = getattr(table, 'ExtSubTable', table)
        if table.LookupType == 2 and table.Format == 1:
            for left, pairs in zip(table.Coverage.glyphs, table.PairSet):
                pairs.PairValueRecord = [r for r in pairs.PairValueRecord if space not in (left, r.SecondGlyph)]
                pairs.PairValueCount = len(pairs.PairValueRecord)
is_light = lambda axes: 'wght' in axes and axes['wght'][1] < 0
for name, variations in font['gvar'].variations.items():
    font['gvar'].variations[name] = [v for v in variations if not ('wdth' in v.axes and is_light(v.axes))]
font.flavor = 'woff2'
font.save(sys.argv[1])
`;

const require = createRequire(import.meta.url);
const fullFont = require.resolve('@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2');
const scratch = mkdtempSync(join(tmpdir(), 'fonts-'));
const narrowed = join(scratch, 'narrowed.woff2');
const folder = join(import.meta.dirname, '..', 'web', 'fonts');

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error ?? status !== 0) throw new Error(`${command} is missing or failed`);
}

run('fonttools', ['varLib.instancer', fullFont, 'wdth=62:100', 'wght=400:900', '-o', narrowed]);
for (const [name, characters] of Object.entries(CHARACTERS)) {
  const out = join(folder, `${name}.woff2`);
  run('pyftsubset', [
    narrowed,
    `--unicodes=${characters}`,
    `--layout-features=${FEATURES}`,
    '--flavor=woff2',
    '--name-IDs=',
    `--drop-tables+=${UNUSED_TABLE}`,
    `--output-file=${out}`,
  ]);
  // The font's kerning pulls a space so close to k, K and some other letters that "4K cameras" reads as one word.
  run('python3', ['-c', REMOVE_UNUSED, out]);
}
rmSync(scratch, { recursive: true });
