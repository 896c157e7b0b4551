import { crc32 } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1 January 1980: the format has no empty time, and readers of a pass do not use it. */
const FIRST_DAY = 0x0021;

/** Packs files without compressing them: a pass has few, and pictures do not get smaller. */
export function zip(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const common = commonFields(name, content);
    const local = Buffer.concat([number(LOCAL, 4), common, name]);
    directory.push(number(CENTRAL, 4), number(VERSION, 2), common, Buffer.alloc(10), number(offset, 4), name);
    parts.push(local, Buffer.from(content));
    offset += local.length + content.length;
  }
  const central = Buffer.concat(directory);
  const end = [number(END, 4), Buffer.alloc(4), number(files.size, 2), number(files.size, 2)];
  return Buffer.concat([...parts, central, ...end, number(central.length, 4), number(offset, 4), number(0, 2)]);
}

/** The fields that a file has both before its content and in the directory at the end. */
function commonFields(name: Buffer, content: Uint8Array): Buffer {
  const size = number(content.length, 4);
  const stored = number(0, 2);
  return Buffer.concat([
    number(VERSION, 2),
    number(FLAGS, 2),
    stored,
    number(0, 2),
    number(FIRST_DAY, 2),
    number(crc32(content), 4),
    size,
    size,
    number(name.length, 2),
    number(0, 2),
  ]);
}

function number(value: number, bytes: 2 | 4): Buffer {
  const field = Buffer.alloc(bytes);
  field.writeUIntLE(value, 0, bytes);
  return field;
}
