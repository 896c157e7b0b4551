import type { Field } from '../pipeline.ts';

/** The fields of PostgreSQL's ErrorResponse. */
export type ServerError = {
  readonly code: string;
  readonly message: string;
  readonly detail: string | null;
  readonly hint: string | null;
  readonly constraint: string | null;
  readonly table: string | null;
  readonly column: string | null;
};

export type AnswerReader = {
  parsed(): void;
  closed(): void;
  fields(fields: Field[]): void;
  row(texts: (string | null)[]): void;
  complete(tag: string): void;
  failed(error: ServerError): void;
  notified(channel: string, payload: string): void;
  /** Called at the end of a pipeline. */
  ready(): void;
};

const CODE = {
  parseComplete: 0x31,
  closeComplete: 0x33,
  notification: 0x41,
  commandComplete: 0x43,
  dataRow: 0x44,
  error: 0x45,
  emptyQuery: 0x49,
  rowDescription: 0x54,
  ready: 0x5a,
} as const;

/**
 * Reads messages of PostgreSQL's protocol (version 3) in order. Returns whether they end with ReadyForQuery; if they do not, the engine
 * stopped midway.
 */
export function readAnswer(bytes: Uint8Array, reader: AnswerReader): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let ready = false;
  for (let index = 0; index + 5 <= buffer.length;) {
    const code = buffer[index];
    const from = index + 5;
    index += 1 + buffer.readInt32BE(index + 1);
    if (index > buffer.length) return false;
    if (code === CODE.dataRow) reader.row(readTexts(buffer, from));
    else if (code === CODE.commandComplete) reader.complete(buffer.toString('utf8', from, index - 1));
    else if (code === CODE.emptyQuery) reader.complete('');
    else if (code === CODE.rowDescription) reader.fields(readFields(buffer, from));
    else if (code === CODE.parseComplete) reader.parsed();
    else if (code === CODE.closeComplete) reader.closed();
    else if (code === CODE.error) reader.failed(readError(buffer, from));
    else if (code === CODE.notification) {
      const end = buffer.indexOf(0, from + 4);
      reader.notified(buffer.toString('utf8', from + 4, end), buffer.toString('utf8', end + 1, index - 1));
    } else if (code === CODE.ready) {
      ready = true;
      reader.ready();
    }
  }
  return ready;
}

function readTexts(buffer: Buffer, from: number): (string | null)[] {
  const count = buffer.readInt16BE(from);
  const texts: (string | null)[] = [];
  let at = from + 2;
  for (let i = 0; i < count; i += 1) {
    const length = buffer.readInt32BE(at);
    at += 4;
    if (length < 0) {
      texts.push(null);
      continue;
    }
    texts.push(buffer.toString('utf8', at, at + length));
    at += length;
  }
  return texts;
}

function readFields(buffer: Buffer, from: number): Field[] {
  const count = buffer.readInt16BE(from);
  const fields: Field[] = [];
  let at = from + 2;
  for (let i = 0; i < count; i += 1) {
    const end = buffer.indexOf(0, at);
    // The name is followed by the table (4 bytes), column (2), type (4), its size (2), modifier (4) and format (2).
    fields.push({ name: buffer.toString('utf8', at, end), typeOid: buffer.readUInt32BE(end + 7) });
    at = end + 19;
  }
  return fields;
}

function readError(buffer: Buffer, from: number): ServerError {
  const parts = new Map<string, string>();
  for (let index = from; buffer[index] !== 0 && index < buffer.length;) {
    const end = buffer.indexOf(0, index);
    parts.set(String.fromCharCode(buffer[index] ?? 0), buffer.toString('utf8', index + 1, end));
    index = end + 1;
  }
  return {
    code: parts.get('C') ?? 'XX000',
    message: parts.get('M') ?? 'the database failed',
    detail: parts.get('D') ?? null,
    hint: parts.get('H') ?? null,
    constraint: parts.get('n') ?? null,
    table: parts.get('t') ?? null,
    column: parts.get('c') ?? null,
  };
}
