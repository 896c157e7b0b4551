import type { FunctionFacts, TableFacts } from './facts.ts';
import { toSchema } from './parts.ts';

type Part = Record<string, unknown>;

const ref = (name: string): Part => ({ $ref: `#/parameters/${name}` });
const response = (status: number, description: string, schema?: Part): Part => ({
  [status]: schema === undefined ? { description } : { description, schema },
});

/** Describes a table's methods: reads always, and those writes that the table supports. */
export function pathOfTable(table: TableFacts): Part {
  const about = { tags: [table.name], ...(table.comment === null ? {} : splitComment(table.comment)) };
  const filters = table.columns.map((column) => ref(`rowFilter.${table.name}.${column.name}`));
  const body = ref(`body.${table.name}`);
  const rows = { type: 'array', items: { $ref: `#/definitions/${table.name}` } };
  const page = ['select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount'].map(ref);
  return {
    get: {
      ...about,
      parameters: [...filters, ...page],
      responses: { ...response(200, 'OK', rows), ...response(206, 'Partial Content') },
    },
    ...(table.insertable
      ? {
          post: { ...about, parameters: [body, ref('select'), ref('preferPost')], responses: response(201, 'Created') },
        }
      : {}),
    ...(table.deletable
      ? { delete: { ...about, parameters: [...filters, ref('preferReturn')], responses: response(204, 'No Content') } }
      : {}),
    ...(table.updatable
      ? {
          patch: {
            ...about,
            parameters: [...filters, body, ref('preferReturn')],
            responses: response(204, 'No Content'),
          },
        }
      : {}),
  };
}

/** Describes the calls of a function: always by POST, and by GET if it changes nothing. */
export function pathOfFunction(routine: FunctionFacts): Part {
  const about = { tags: [`(rpc) ${routine.name}`], ...(routine.comment === null ? {} : splitComment(routine.comment)) };
  const named = routine.arguments.filter((argument) => argument.name !== '');
  const required = named.filter((argument) => argument.required).map((argument) => argument.name);
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(named.map((argument) => [argument.name, toSchema(argument.type)])),
  };
  const post = {
    ...about,
    parameters: [{ name: 'args', in: 'body', required: true, schema }, ref('preferParams')],
    produces: ['application/json', 'application/vnd.pgrst.object+json'],
    responses: response(200, 'OK'),
  };
  if (routine.volatile) return { post };
  const requested = named.map((argument) => ({
    name: argument.name,
    in: 'query',
    required: argument.required,
    type: 'string',
    format: argument.type,
  }));
  return { get: { ...about, parameters: requested, responses: response(200, 'OK') }, post };
}

/** Splits a comment into its first line and the rest. */
function splitComment(comment: string): Part {
  const [summary = '', ...rest] = comment.split('\n');
  return rest.length === 0 ? { summary } : { summary, description: rest.join('\n').trim() };
}
