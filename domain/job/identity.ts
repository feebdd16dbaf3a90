/** SHA-256 of a text's UTF-8 as 64 hex digits in lower case. The shell brings it, since the domain does no crypto of its own. */
export type Sha256 = (text: string) => string;

/** A job's id: a UUID, in lower case. */
export const JOB_ID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const DEFAULT_NAMESPACE = 'default';

/**
 * The id of the n-th job (from 0) made with an idempotency key: UUIDv8 of SHA-256 over (namespace, key, n). Whoever
 * submits with the key reaches the same stream, so the append decides which of two submits was first.
 */
export function keyedJobId(sha256: Sha256, key: string, use: number, namespace = DEFAULT_NAMESPACE): string {
  return derivedUuid(sha256, ['job', namespace, key, use]);
}

/**
 * The id of an event that reports an outcome: the same report repeated has the same id, so the log knows it again; any
 * other report about the same token has another.
 * @param bodyDigest - Of the canonical JSON of the report's body.
 * @param index - Place within the append, for outcomes of two events.
 */
export function outcomeEventId(
  sha256: Sha256,
  outcome: { jobId: string; fencingToken: number; kind: string; bodyDigest: string; index: number },
): string {
  const { jobId, fencingToken, kind, bodyDigest, index } = outcome;
  return derivedUuid(sha256, ['outcome', jobId, fencingToken, kind, bodyDigest, index]);
}

/** The digit that holds the variant's two bits, 10, and the two that the hash fills. */
const VARIANT_DIGITS = '89ab';

/** A UUID of version 8 (RFC 9562: custom) from the SHA-256 of the parts, which are kept apart by JSON. */
export function derivedUuid(sha256: Sha256, parts: readonly (string | number)[]): string {
  const hex = sha256(JSON.stringify(parts));
  const variant = VARIANT_DIGITS[Number.parseInt(hex.slice(16, 17), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
