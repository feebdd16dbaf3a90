import { MAX_ERROR_TEXT_BYTES } from './limits.ts';

/**
 * Error text as it may be stored: well-formed, without NUL, at most 16 KiB of UTF-8; what was cut is said at its end.
 */
export function boundedText(text: string): string {
  const clean = text.replaceAll('\u0000', '\ufffd').toWellFormed();
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= MAX_ERROR_TEXT_BYTES) return clean;
  const mark = ` [cut, ${bytes.length} bytes in all]`;
  const kept = bytes.subarray(0, MAX_ERROR_TEXT_BYTES - mark.length);
  // A character cut in half at the end is dropped: in stream mode the decoder holds it back.
  return new TextDecoder().decode(kept, { stream: true }) + mark;
}
