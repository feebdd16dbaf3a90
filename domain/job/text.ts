import { MAX_ERROR_TEXT_BYTES } from './limits.ts';

/**
 * Error text as it may be stored: well-formed, without NUL, at most so many bytes of UTF-8 (16 KiB); what was cut is said
 * at its end.
 */
export function boundedText(text: string, maxBytes = MAX_ERROR_TEXT_BYTES): string {
  const clean = text.replaceAll('\u0000', '\ufffd').toWellFormed();
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= maxBytes) return clean;
  const mark = ` [cut, ${bytes.length} bytes in all]`;
  const kept = bytes.subarray(0, maxBytes - mark.length);
  // A character cut in half at the end is dropped: in stream mode the decoder holds it back.
  return new TextDecoder().decode(kept, { stream: true }) + mark;
}
