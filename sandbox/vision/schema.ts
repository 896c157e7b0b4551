/** JSON Schema, as far as models are asked with it. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Answers what a schema asks for out of what is known: properties are found by name, whatever their spelling (`given_names`, `givenNames`);
 * what is not known is answered with the emptiest thing the schema allows. A model never says more than it was asked for.
 */
export function fill(schema: unknown, known: unknown): unknown {
  const asked = objectOf(schema);
  const choices = asked['anyOf'] ?? asked['oneOf'];
  if (Array.isArray(choices)) {
    const fits = choices.find((one) => matches(objectOf(one), known));
    return fill(fits ?? choices.find((one) => matches(objectOf(one), null)) ?? choices[0], known);
  }
  const options = asked['enum'];
  if (Array.isArray(options)) return options.includes(known) ? known : (options.at(-1) ?? null);
  if ('const' in asked) return asked['const'];
  const types = typesOf(asked);
  if (types.includes('object') && known !== null) {
    const given = new Map(Object.entries(objectOf(known)).map(([name, value]) => [plain(name), value]));
    const wanted = Object.entries(objectOf(asked['properties']));
    return Object.fromEntries(wanted.map(([name, one]) => [name, fill(one, given.get(plain(name)))]));
  }
  if (types.includes('array') && Array.isArray(known)) return known.map((one) => fill(asked['items'], one));
  return matches(asked, known) ? known : empty(types);
}

/** What OpenAI refuses in a strict schema: properties that are not required, objects that are open. Null: nothing. */
export function strictFault(schema: unknown, at = 'schema'): string | null {
  const asked = objectOf(schema);
  const nested = [
    ...Object.entries(objectOf(asked['properties'])),
    ...(asked['items'] === undefined ? [] : [['items', asked['items']] as const]),
    ...(Array.isArray(asked['anyOf']) ? asked['anyOf'].map((one, index) => [`anyOf.${index}`, one] as const) : []),
  ];
  if (typesOf(asked).includes('object')) {
    const names = Object.keys(objectOf(asked['properties']));
    const required: unknown[] = Array.isArray(asked['required']) ? asked['required'] : [];
    if (asked['additionalProperties'] !== false) return `${at}: additionalProperties must be false`;
    if (names.some((name) => !required.includes(name))) return `${at}: all properties must be required`;
  }
  for (const [name, one] of nested) {
    const fault = strictFault(one, `${at}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

function matches(schema: Schema, value: unknown): boolean {
  const options = schema['enum'];
  if (Array.isArray(options)) return options.includes(value);
  const types = typesOf(schema);
  if (types.length === 0) return value !== undefined;
  return types.some((type) => {
    if (type === 'null') return value === null;
    if (type === 'array') return Array.isArray(value);
    if (type === 'integer') return Number.isInteger(value);
    if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value);
    return typeof value === type;
  });
}

function empty(types: readonly string[]): unknown {
  if (types.includes('null') || types.length === 0) return null;
  if (types.includes('array')) return [];
  if (types.includes('boolean')) return false;
  if (types.includes('number') || types.includes('integer')) return 0;
  return types.includes('object') ? {} : '';
}

function typesOf(schema: Schema): string[] {
  const type = schema['type'];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  return typeof type === 'string' ? [type] : schema['properties'] === undefined ? [] : ['object'];
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function objectOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
