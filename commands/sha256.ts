import { hash } from 'node:crypto';
import { canonicalJson } from '#domain/json/canonical';
import type { JsonValue } from '#domain/json/value';

/** SHA-256 of a text's UTF-8, in hex. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Hex SHA-256 of a value's canonical JSON: equal for equal meaning, however it was written. */
export function digest(value: JsonValue): string {
  return sha256(canonicalJson(value));
}
