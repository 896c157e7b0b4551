/** The parts of a mail that a mail program shows: texts with their colours, links and pictures. */
export type ShownMail = {
  readonly texts: readonly { readonly text: string; readonly colour: string; readonly ground: string }[];
  readonly links: readonly string[];
  readonly images: readonly { readonly alt: string | null }[];
};

type Element = { readonly colour: string; readonly ground: string; readonly hidden: boolean };
const VOID = new Set(['!doctype', 'meta', 'br', 'img', 'hr']);
const UNSEEN = new Set(['title', 'style']);

/** Reads the HTML of the mail layout as a mail program with the light or the dark scheme shows it. */
export function readHtml(html: string, scheme: 'light' | 'dark'): ShownMail {
  const dark = scheme === 'dark' ? darkRules(html) : new Map<string, string>();
  const shown = {
    texts: [] as ShownMail['texts'][number][],
    links: [] as string[],
    images: [] as { alt: string | null }[],
  };
  const open: Element[] = [{ colour: '#000000', ground: '#ffffff', hidden: false }];
  for (const [token] of html.replaceAll(/<!--[\s\S]*?-->/g, '').matchAll(/<[^>]+>|[^<]+/g)) {
    const parent = open.at(-1) ?? { colour: '', ground: '', hidden: true };
    const name = /^<([!\w]+)/.exec(token)?.[1]?.toLowerCase();
    if (name === undefined) {
      if (token.startsWith('</')) open.pop();
      else if (!parent.hidden && token.trim() !== '')
        shown.texts.push({ text: decode(token), colour: parent.colour, ground: parent.ground });
      continue;
    }
    if (name === 'a') shown.links.push(decode(attribute(token, 'href') ?? ''));
    if (name === 'img') shown.images.push({ alt: attribute(token, 'alt') });
    if (!VOID.has(name)) open.push(createElement(token, name, parent, dark));
  }
  return shown;
}

function createElement(tag: string, name: string, parent: Element, dark: ReadonlyMap<string, string>): Element {
  const style = attribute(tag, 'style') ?? '';
  const of = (property: string): string | undefined =>
    dark.get(`${attribute(tag, 'class')?.split(' ')[0] ?? ''} ${property}`) ??
    new RegExp(`(?:^|;)${property}:([^;]+)`).exec(style)?.[1];
  return {
    colour: of('color') ?? parent.colour,
    ground: of('background') ?? parent.ground,
    hidden: parent.hidden || UNSEEN.has(name) || style.includes('display:none'),
  };
}

/** Returns the colours of the dark style sheet, by class and property. */
function darkRules(html: string): Map<string, string> {
  const sheet = /@media \(prefers-color-scheme:dark\)\{(.*?)\}<\/style>/.exec(html)?.[1] ?? '';
  return new Map(
    [...sheet.matchAll(/\.(\w+)\{([\w-]+):([^!}]+)!important\}/g)].map(([, name, property, colour]) => [
      `${name} ${property}`,
      colour ?? '',
    ]),
  );
}

const attribute = (tag: string, name: string): string | null => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? null;

const decode = (text: string): string =>
  text
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(colour: string, other: string): number {
  const [bright = 0, dim = 0] = [luminance(colour), luminance(other)].toSorted((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(colour: string): number {
  if (!/^#[0-9a-f]{6}$/.test(colour)) throw new RangeError(`not a colour of six digits: ${colour}`);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((from) => Number.parseInt(colour.slice(from, from + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
