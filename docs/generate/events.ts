import { z } from 'zod';
import { JOB_EVENT_TYPES, type JobEventType, jobEventData } from '#domain/job/events';
import { workerEventData } from '#domain/worker/events';
import { EVENT_MEANINGS, FIELD_MEANINGS } from './event-meanings.ts';
import { code, generatedFrom, table } from './markdown.ts';
import { type JsonSchema, typeText } from './type-text.ts';

const INTRODUCTION = `# Events

Names and fields are the storage format: they are in logs that people keep. A name never changes and a field is only
ever added; a change of meaning takes a new schema version and a pure function that reads the old one.

A job's events lie in the stream \`job-<id>\`, versions from 0 without holes. Every append names the version it expects,
and a wrong one is refused. \`holdfast jobs history <id>\` and \`GET /v1/jobs/{id}/events\` show one stream,
\`holdfast events tail\` and \`GET /v1/events\` all of them in the order of the log. Which event may follow which is in
[job-lifecycle.md](job-lifecycle.md).

## Metadata

Every event has these beside its data.

${table(
  ['field', 'meaning'],
  [
    [code('event_id'), 'UUID; an append that is repeated after an unknown outcome carries the same ids'],
    [code('schema_version'), 'version of the shape of `data`'],
    [code('actor'), '`key:<id>`, `worker:<id>`, `system:<part>` or `anonymous`: who wrote it'],
    [code('request_id'), 'of the HTTP request that led to it'],
    [code('$correlationId'), 'the same on every event of a job'],
    [code('$causationId'), 'the id of the event before it in the stream'],
    [code('traceparent'), 'W3C trace context, when the caller sent one'],
  ],
)}

\`recorded_at\` is stamped by the database's clock before the append, never earlier than the stream's previous event.`;

/** docs/events.md */
export function eventsPage(): string {
  const jobs = JOB_EVENT_TYPES.map((type) => jobEvent(type));
  const workers = Object.entries(workerEventData).map(([type, schema]) =>
    section(type, WORKER_MEANINGS[type] ?? '', schema),
  );
  return [
    generatedFrom('domain/job/events.ts'),
    INTRODUCTION,
    '## Events of a job',
    ...jobs,
    '## Events of a worker',
    'In the stream `worker-<id>`. When a worker was last seen is a mark in a read table and no event.',
    ...workers,
  ]
    .join('\n\n')
    .concat('\n');
}

const WORKER_MEANINGS: Readonly<Record<string, string>> = {
  WorkerStarted: 'A worker process offers itself.',
  WorkerStopped: 'It left in good order. A worker that was killed has no such event.',
};

function jobEvent(type: JobEventType): string {
  return section(type, EVENT_MEANINGS[type], jobEventData[type]);
}

function section(type: string, meaning: string, schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema;
  const rows = Object.entries(properties).map(([name, property]) => [
    code(name),
    typeText(property) + (required.includes(name) ? '' : ', may be absent'),
    FIELD_MEANINGS[name] ?? WORKER_FIELD_MEANINGS[name] ?? '',
  ]);
  const fields = rows.length === 0 ? 'No data.' : table(['field', 'type', 'meaning'], rows);
  return `### ${type}\n\n${meaning}\n\n${fields}`;
}

const WORKER_FIELD_MEANINGS: Readonly<Record<string, string>> = {
  host: 'name of the machine',
  pid: 'process id',
  version: 'of Holdfast',
  queues: 'that it takes jobs from; null: all',
  types: 'that it has handlers for; null: all',
  concurrency: 'how many jobs it runs at once',
};
