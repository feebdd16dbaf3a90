/** Limits of a job, in one place. Sizes are bytes of UTF-8 JSON, durations seconds. */
export const QUEUE_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const TYPE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
export const DEFAULT_QUEUE = 'default';

export const MAX_PAYLOAD_BYTES = 256 * 1024;
export const MAX_RESULT_BYTES = 256 * 1024;
export const MAX_PROGRESS_BYTES = 16 * 1024;
export const MAX_ERROR_TEXT_BYTES = 16 * 1024;

export const MAX_ERROR_CODE_BYTES = 256;

export const MAX_TAGS = 16;
export const MAX_TAG_LENGTH = 64;
export const MAX_REASON_LENGTH = 1024;
export const MAX_WORKER_ID_LENGTH = 128;
/** Idempotency keys: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** The longest delay: a thousand years are enough for anybody and keep sums within the calendar. */
export const MAX_DELAY_SECONDS = 31_536_000_000;

export const DEFAULT_MAX_ATTEMPTS = 5;
export const DEFAULT_LEASE_SECONDS = 30;
/** The last instant RFC 3339 can write: 9999-12-31T23:59:59.999Z. */
export const LAST_INSTANT = 253_402_300_799_999;
/** From this release in a row on, the retry backoff applies to releases, too. */
export const RELEASES_BEFORE_BACKOFF = 10;
/** One step of priority is worth this much waiting. */
export const PRIORITY_STEP_MS = 60_000;
