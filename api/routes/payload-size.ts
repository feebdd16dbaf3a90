import { MAX_PAYLOAD_BYTES } from '#domain/job/limits';
import { InvalidRequest } from '#domain/json/problems';
import { type JsonObject, jsonBytes } from '#domain/json/value';

/** @throws InvalidRequest with code `payload-too-large` */
export function checkPayloadSize(payload: JsonObject | undefined): void {
  if (payload === undefined || jsonBytes(payload) <= MAX_PAYLOAD_BYTES) return;
  const detail = `must be at most ${MAX_PAYLOAD_BYTES} bytes of JSON; keep large data elsewhere and pass a reference`;
  throw new InvalidRequest([{ pointer: '/payload', detail }], 'payload-too-large');
}
