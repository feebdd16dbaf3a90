-- Where each projection stands and who works on it. The checkpoint moves in the transaction that writes the rows, and
-- only for the epoch that holds the row, so two projectors of one name cannot both make progress.
CREATE TABLE projections (
  name text COLLATE "C" PRIMARY KEY,
  generation integer NOT NULL DEFAULT 1,
  -- Of the code that worked on it last. Older code stands down.
  schema_version integer NOT NULL,
  -- The log that the position belongs to.
  log_id text NOT NULL,
  -- Null before the first event.
  position text COLLATE "C",
  -- Rises whenever the work changes hands.
  epoch bigint NOT NULL,
  owner text,
  owned_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Streams that a projection could not follow: their rows stay at the last event that could be applied.
CREATE TABLE parked_streams (
  projection text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  -- Of the event that could not be applied.
  version integer NOT NULL,
  error text NOT NULL,
  parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, stream)
);

-- One row a job, for lists: what is filtered and sorted by, and the folded state without payload and result, which only
-- the log keeps. Lists read it status by status (there are five), so every index begins with what they go by.
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  scheduled_at bigint NOT NULL,
  finished_at bigint,
  lease_expires_at bigint,
  version integer NOT NULL CHECK (version >= 0),
  -- Of the event that holds the result.
  result_version integer,
  state_format smallint NOT NULL,
  acknowledged boolean NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'dead', 'cancelled')),
  queue text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  tags text[] COLLATE "C" NOT NULL,
  state json NOT NULL,
  CONSTRAINT jobs_running_has_a_lease CHECK ((status = 'running') = (lease_expires_at IS NOT NULL)),
  CONSTRAINT jobs_final_has_an_end CHECK ((status IN ('succeeded', 'dead', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT jobs_succeeded_has_a_result CHECK ((status = 'succeeded') = (result_version IS NOT NULL)),
  CONSTRAINT jobs_dead_is_acknowledged CHECK (status = 'dead' OR NOT acknowledged)
) WITH (autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX jobs_by_creation ON jobs (status, created_at, id);
CREATE INDEX jobs_by_queue ON jobs (queue, status, created_at, id);
CREATE INDEX jobs_by_type ON jobs (type, status, created_at, id);
CREATE INDEX jobs_by_change ON jobs (status, updated_at, id);
CREATE INDEX jobs_by_schedule ON jobs (status, scheduled_at, id);
CREATE INDEX jobs_by_tags ON jobs USING gin (tags) WHERE tags <> '{}';

-- How many jobs of each status a queue has. Written with the rows of `jobs`, so the two always agree.
CREATE TABLE queue_stats (
  queue text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (queue, status)
) WITH (fillfactor = 50);

-- What happened in each second (of the epoch, by `recorded_at`) of the last two minutes.
CREATE TABLE queue_activity (
  second bigint NOT NULL,
  queue text COLLATE "C" NOT NULL,
  submitted integer NOT NULL,
  started integer NOT NULL,
  finished integer NOT NULL,
  PRIMARY KEY (second, queue)
) WITH (fillfactor = 50);

-- Worker processes that said that they start, from their events.
CREATE TABLE workers (
  worker_id text COLLATE "C" PRIMARY KEY,
  started_at bigint NOT NULL,
  stopped_at bigint,
  stream_version integer NOT NULL,
  pid integer NOT NULL,
  concurrency integer NOT NULL,
  host text NOT NULL,
  version text NOT NULL,
  queues text[],
  types text[]
);

-- When a worker was last seen, and with what: a mark without events, also of workers that only speak REST.
CREATE TABLE worker_marks (
  worker_id text COLLATE "C" PRIMARY KEY,
  last_seen_at bigint NOT NULL,
  stopping boolean NOT NULL,
  queues text[],
  types text[]
) WITH (fillfactor = 50);
