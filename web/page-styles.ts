import Beasties from 'beasties';

/** Selectors that beasties does not match with the page, such as those of distances between siblings: their rules stay. */
const KEPT = [/:where\(/];

/**
 * Returns the rules of a style sheet that a page needs as it was rendered, so that it can be painted before the style sheet is there.
 * All fonts stay: beasties takes only those that are named first, and the layout must not move when a font replaces its stand-in.
 */
export async function stylesOf(page: string, styles: string): Promise<string> {
  const pruner = new Beasties({ fonts: false, allowRules: KEPT, logLevel: 'silent' });
  const pruned = await pruner.process(page.replace('</head>', () => `<style>${styles}</style></head>`));
  const [, rules = ''] = /<style>([^]*?)<\/style>/.exec(pruned) ?? [];
  const fonts = styles.match(/@font-face\{[^}]*\}/g) ?? [];
  return fonts.join('') + rules.replaceAll(/@font-face\{[^}]*\}/g, '');
}
