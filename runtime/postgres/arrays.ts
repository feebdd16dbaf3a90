/*
 * Arrays in PostgreSQL's binary format, as query parameters: the driver sends a buffer as it is. Written as text, an array
 * of a thousand JSON documents has to be quoted here and parsed there (measured: 11.5 microseconds of binding an event as
 * text, 3.6 this way, with fewer documents to carry). Format: dimensions, a flag for nulls, the element type, then length and lower bound, then each element behind
 * its length (src/backend/utils/adt/arrayfuncs.c, array_recv). The parameter has to be cast to the type in the statement.
 *
 * Every event passes here a dozen times, so the loops count an index: iterators and pieces of text were 8 % of all the
 * memory that a job took on its way.
 */

const OID = { bool: 16, int8: 20, int2: 21, int4: 23, text: 25, json: 114, uuid: 2950 } as const;
const HEADER_BYTES = 20;
const EMPTY_BYTES = 12;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
const UUID_LENGTH = 36;
/** A bit for each digit that a hyphen stands before. */
const HYPHENS = (1 << 8) | (1 << 12) | (1 << 16) | (1 << 20);
const HYPHEN = 45;
const NO_DIGIT = -1;
/** By character code. */
const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

type Write = (view: DataView, value: never, at: number) => void;

const writeBool = (view: DataView, value: boolean, at: number) => view.setUint8(at, value ? 1 : 0);
const writeInt2 = (view: DataView, value: number, at: number) => view.setInt16(at, whole(value, 2 ** 15));
const writeInt4 = (view: DataView, value: number, at: number) => view.setInt32(at, whole(value, 2 ** 31));
const writeInt8 = (view: DataView, value: number, at: number) => {
  const high = Math.floor(whole(value, 2 ** 53) / 2 ** 32);
  view.setInt32(at, high);
  view.setUint32(at + 4, value - high * 2 ** 32);
};
const writeUuid = (view: DataView, value: string, at: number) => {
  let isUuid = value.length === UUID_LENGTH;
  let from = 0;
  for (let digits = 0; isUuid && digits < 32; digits += 2) {
    if ((HYPHENS >> digits) & 1) {
      isUuid = value.charCodeAt(from) === HYPHEN;
      from += 1;
    }
    const high = HEX_DIGITS[value.charCodeAt(from)] ?? NO_DIGIT;
    const low = HEX_DIGITS[value.charCodeAt(from + 1)] ?? NO_DIGIT;
    isUuid &&= high !== NO_DIGIT && low !== NO_DIGIT;
    view.setUint8(at + digits / 2, 16 * high + low);
    from += 2;
  }
  if (!isUuid) throw new TypeError(`not a UUID: ${value}`);
};

export function boolArray(values: readonly (boolean | null)[]): Buffer {
  return fixed(OID.bool, 1, values, writeBool);
}

export function int2Array(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int2, 2, values, writeInt2);
}

export function int4Array(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int4, 4, values, writeInt4);
}

/** For whole numbers up to 2^53. */
export function int8Array(values: readonly (number | null)[]): Buffer {
  return fixed(OID.int8, 8, values, writeInt8);
}

/** For UUIDs as text, in lower or upper case, with hyphens. */
export function uuidArray(values: readonly (string | null)[]): Buffer {
  return fixed(OID.uuid, 16, values, writeUuid);
}

export function textArray(values: readonly (string | null)[]): Buffer {
  return texts(OID.text, values);
}

/** For texts of JSON documents. */
export function jsonArray(values: readonly (string | null)[]): Buffer {
  return texts(OID.json, values);
}

function fixed(oid: number, size: number, values: readonly unknown[], write: Write): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + size));
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  let at = writeHeader(view, oid, values);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    view.setInt32(at, value === null ? NULL_LENGTH : size);
    at += LENGTH_BYTES;
    if (value === null) continue;
    write(view, value as never, at);
    at += size;
  }
  return buffer.subarray(0, at);
}

function texts(oid: number, values: readonly (string | null)[]): Buffer {
  let most = HEADER_BYTES;
  for (let index = 0; index < values.length; index += 1) {
    // No UTF-16 unit takes more than three bytes of UTF-8.
    most += LENGTH_BYTES + 3 * (values[index]?.length ?? 0);
  }
  const buffer = Buffer.allocUnsafe(most);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  let at = writeHeader(view, oid, values);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as string | null;
    const length = value === null ? NULL_LENGTH : buffer.write(value, at + LENGTH_BYTES, 'utf8');
    view.setInt32(at, length);
    at += LENGTH_BYTES + Math.max(length, 0);
  }
  return buffer.subarray(0, at);
}

/** @returns Where the first element goes. */
function writeHeader(view: DataView, oid: number, values: readonly unknown[]): number {
  const isEmpty = values.length === 0;
  view.setInt32(0, isEmpty ? 0 : 1);
  view.setInt32(4, values.includes(null) ? 1 : 0);
  view.setInt32(8, oid);
  if (isEmpty) return EMPTY_BYTES;
  view.setInt32(12, values.length);
  view.setInt32(16, 1);
  return HEADER_BYTES;
}

/** @throws RangeError where the type would not hold it: the view would cut it off in silence. */
function whole(value: number, bound: number): number {
  if (Number.isInteger(value) && value >= -bound && value < bound) return value;
  throw new RangeError(`not a whole number from -${bound} to ${bound - 1}: ${value}`);
}
