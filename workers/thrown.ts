import type { ReportedError } from '#domain/job/commands';
import { boundedText } from '#domain/job/text';

const MAX_CODE_LENGTH = 128;
const MAX_PARTS = 10;
const MAX_CAUSES = 5;

/**
 * Readable text of whatever was thrown: it need not be an Error, its getters may throw, its causes may run in a circle.
 * Never throws.
 */
export function describeThrown(thrown: unknown): ReportedError {
  return {
    message: boundedText(messageOf(thrown)),
    code: codeOf(thrown),
    stack: boundedOrNull(stackOf(thrown)),
  };
}

function messageOf(thrown: unknown): string {
  if (!isError(thrown)) return describeValue(thrown);
  const message = readText(thrown, 'message') ?? 'the message of this error cannot be read';
  const parts = partsOf(thrown);
  return parts.length === 0 ? message || nameOf(thrown) : `${message || nameOf(thrown)} (${parts.join('; ')})`;
}

/** What an AggregateError holds; only one level, for the parts may be aggregates of each other. */
function partsOf(error: Error): string[] {
  const errors = read(error, 'errors');
  if (!Array.isArray(errors)) return [];
  const shown = errors
    .slice(0, MAX_PARTS)
    .map((part) => (isError(part) ? (readText(part, 'message') ?? nameOf(part)) : describeValue(part)));
  return errors.length > MAX_PARTS ? [...shown, `and ${errors.length - MAX_PARTS} more`] : shown;
}

function stackOf(thrown: unknown): string | null {
  const seen = new Set<unknown>();
  const lines: string[] = [];
  for (
    let error = thrown;
    isError(error) && !seen.has(error) && seen.size <= MAX_CAUSES;
    error = read(error, 'cause')
  ) {
    seen.add(error);
    const stack = readText(error, 'stack');
    if (stack) lines.push(lines.length === 0 ? stack : `caused by: ${stack}`);
  }
  return lines.length === 0 ? null : lines.join('\n');
}

function codeOf(thrown: unknown): string | null {
  const code = isObject(thrown) ? read(thrown, 'code') : undefined;
  if (typeof code !== 'string' && typeof code !== 'number') return null;
  return boundedText(String(code)).slice(0, MAX_CODE_LENGTH).toWellFormed() || null;
}

function nameOf(error: Error): string {
  return readText(error, 'name') || 'Error';
}

function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string was thrown' : value;
    case 'undefined':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'symbol':
      return `${String(value)} was thrown`;
    case 'function':
      return 'a function was thrown';
    case 'object':
      return value === null ? 'null was thrown' : describeObject(value);
  }
}

function describeObject(value: object): string {
  const message = readText(value, 'message');
  if (message) return message;
  try {
    return `an object was thrown: ${JSON.stringify(value)}`;
  } catch {
    return 'an object was thrown that cannot be shown as JSON';
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function readText(from: object, name: string): string | null {
  const value = read(from, name);
  return typeof value === 'string' ? value : null;
}

function read(from: object, name: string): unknown {
  try {
    return (from as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function boundedOrNull(text: string | null): string | null {
  return text === null ? null : boundedText(text);
}
