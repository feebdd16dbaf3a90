import { createHash } from 'node:crypto';
import { canonicalJson } from '#domain/json/canonical';
import type { JsonValue } from '#domain/json/value';

/** SHA-256 of a text's UTF-8. */
export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** Hex SHA-256 of a value's canonical JSON: equal for equal meaning, however it was written. */
export function digest(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
