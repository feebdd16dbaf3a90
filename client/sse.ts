export interface ServerSentEvent {
  readonly id: string | null;
  /** `message` unless the server named it. */
  readonly event: string;
  readonly data: string;
}

/** What a stream of server-sent events brings: events, and the wait before reconnecting. */
export type SseItem =
  | { readonly kind: 'event'; readonly event: ServerSentEvent }
  | { readonly kind: 'retry'; readonly ms: number };

/** Reads server-sent events as the WHATWG standard has them, in one pass over the chunks. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseItem, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let block: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the very end may be half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') block.push(line);
      else {
        yield* itemsOf(block);
        block = [];
      }
    }
  }
}

function* itemsOf(lines: readonly string[]): Generator<SseItem, void, void> {
  const fields = lines.filter((line) => !line.startsWith(':')).map(fieldOf);
  const last = (name: string) => fields.findLast(([field]) => field === name)?.[1];
  const retry = last('retry');
  if (retry !== undefined && /^\d+$/.test(retry)) yield { kind: 'retry', ms: Number(retry) };
  const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
  const event = last('event');
  if (data.length === 0 && event === undefined) return;
  yield { kind: 'event', event: { id: last('id') ?? null, event: event ?? 'message', data: data.join('\n') } };
}

function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
