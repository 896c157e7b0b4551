import Beasties from 'beasties';

/** Matches selectors that beasties cannot evaluate, such as those for the distance between siblings. Their rules are kept. */
const KEPT = [/:where\(/];

/**
 * Returns the rules of a style sheet that apply to a rendered page, so that the browser can paint the page before it has the style sheet.
 * All fonts are kept. beasties would only keep the font that a rule names first, and the layout would shift when that font replaces its
 * fallback.
 */
export async function selectStyles(page: string, styles: string): Promise<string> {
  const pruner = new Beasties({ fonts: false, allowRules: KEPT, logLevel: 'silent' });
  const pruned = await pruner.process(page.replace('</head>', () => `<style>${styles}</style></head>`));
  const [, rules = ''] = /<style>([^]*?)<\/style>/.exec(pruned) ?? [];
  const fonts = styles.match(/@font-face\{[^}]*\}/g) ?? [];
  return fonts.join('') + rules.replaceAll(/@font-face\{[^}]*\}/g, '');
}
