/** The colours of mails by the part that has them: grounds, and what stands on the card or on the button. */
export type Tones = Readonly<
  Record<
    | 'page'
    | 'card'
    | 'brand'
    | 'heading'
    | 'body'
    | 'label'
    | 'value'
    | 'code'
    | 'link'
    | 'foot'
    | 'button'
    | 'press'
    | 'rule',
    string
  >
>;

/** Bright, because readers without our dark colours darken a bright mail better than they brighten a dark one. The button is so dark that they keep it and its text. */
const LIGHT: Tones = {
  page: '#f1eee8',
  card: '#ffffff',
  brand: '#b33406',
  heading: '#0b0b0c',
  body: '#2e2c29',
  label: '#66625b',
  value: '#0b0b0c',
  code: '#0b0b0c',
  link: '#a83006',
  foot: '#66625b',
  button: '#c2380a',
  press: '#ffffff',
  rule: '#dcd8d0',
};

/** The colours of the pages. */
const DARK: Tones = {
  page: '#0b0b0c',
  card: '#141416',
  brand: '#ff7a52',
  heading: '#f5f3ef',
  body: '#d9d6d0',
  label: '#b4b0a8',
  value: '#f5f3ef',
  code: '#ffffff',
  link: '#ff8a66',
  foot: '#b4b0a8',
  button: '#ff5a2c',
  press: '#160500',
  rule: '#323236',
};

const PROPERTIES: Readonly<Partial<Record<keyof Tones, string>>> = {
  page: 'background',
  card: 'background',
  button: 'background',
  rule: 'border-color',
};
const propertyOf = (tone: keyof Tones): string => PROPERTIES[tone] ?? 'color';

/** Attributes for a part of a mail: its class, which the sheets below address, and its style with the bright colour for readers that ignore sheets. `more`: further classes. */
export function part(tone: keyof Tones, style = '', more = ''): string {
  return `class="${tone}${more}" style="${propertyOf(tone)}:${LIGHT[tone]};${style}"`;
}

const darkRules = Object.entries(DARK)
  .map(([tone, colour]) => `.${tone}{${propertyOf(tone as keyof Tones)}:${colour}!important}`)
  .join('');

/**
 * The style sheets. One each, because some readers drop a whole sheet when they do not know a rule of it. On narrow screens a fact stands below its
 * name, so that a date has the full width.
 */
export const SHEETS = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  `@media (max-width:480px){.edge{padding:0!important}.in{padding-left:20px!important;padding-right:20px!important}.heading{font-size:25px!important}.stacked{display:block!important;width:auto!important;padding:0 0 4px!important}.label.stacked{padding:8px 0 0!important}.press{display:block!important;text-align:center!important}.button{width:100%!important}}`,
  `@media (prefers-color-scheme:dark){${darkRules}}`,
]
  .map((sheet) => `<style>${sheet}</style>`)
  .join('\n');
