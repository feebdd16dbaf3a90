import { hash } from 'node:crypto';
import { canonicalJson } from '#domain/json/canonical';
import type { JsonValue } from '#domain/json/value';

/** SHA-256 of a text's UTF-8, in hex. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** What was digested last: one outcome after the other says the same, that there is no result. */
const last = { text: '', digest: '' };

/** Hex SHA-256 of a value's canonical JSON: equal for equal meaning, however it was written. */
export function digest(value: JsonValue): string {
  const text = canonicalJson(value);
  if (text !== last.text) {
    last.digest = sha256(text);
    last.text = text;
  }
  return last.digest;
}
