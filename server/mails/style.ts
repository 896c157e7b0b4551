/** The colours of mails, by the part that uses them: backgrounds, and what appears on the card or the button. */
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

/**
 * Light colours, because mail readers that ignore our dark colours darken a light mail better than they lighten a dark one. The button is
 * dark enough that they leave it and its text unchanged.
 */
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

/** The same colours as the pages. */
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
const getProperty = (tone: keyof Tones): string => PROPERTIES[tone] ?? 'color';

/**
 * Returns the attributes of a part of a mail: its class, which the sheets below refer to, and its style with the light colour, for readers
 * that ignore sheets. `more`: additional classes.
 */
export function part(tone: keyof Tones, style = '', more = ''): string {
  return `class="${tone}${more}" style="${getProperty(tone)}:${LIGHT[tone]};${style}"`;
}

const darkRules = Object.entries(DARK)
  .map(([tone, colour]) => `.${tone}{${getProperty(tone as keyof Tones)}:${colour}!important}`)
  .join('');

/**
 * The style sheets. They are separate, because some readers drop a whole sheet if they do not support one of its rules. On narrow screens a
 * fact is placed below its name, so that a date has the full width.
 */
export const SHEETS = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  `@media (max-width:480px){.edge{padding:0!important}.in{padding-left:20px!important;padding-right:20px!important}.heading{font-size:25px!important}.stacked{display:block!important;width:auto!important;padding:0 0 4px!important}.label.stacked{padding:8px 0 0!important}.press{display:block!important;text-align:center!important}.button{width:100%!important}}`,
  `@media (prefers-color-scheme:dark){${darkRules}}`,
]
  .map((sheet) => `<style>${sheet}</style>`)
  .join('\n');
