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

-- Moves the checkpoint of the epoch that holds the projection, from exactly where it stood; false means that somebody else
-- works, and that nothing may be written. Whoever writes rows calls it in the same statement, before them. The rows can be
-- refilled from the log together with the checkpoint, so the commit need not wait for the disk; and a process that freezes
-- in the transaction must not block its successor for longer than half a lease.
CREATE FUNCTION projection_move(p_name text, p_epoch bigint, p_from text, p_to text, p_lease_ms integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE projections SET position = p_to, owned_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  WHERE name = p_name AND epoch = p_epoch AND owner IS NOT NULL AND position IS NOT DISTINCT FROM p_from;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true),
    set_config('idle_in_transaction_session_timeout', (p_lease_ms / 2)::text, true);
  RETURN true;
END
$$;

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

-- One row a job, for lists: what is filtered and sorted by or moves often in columns, and in `state` what else the fold
-- knows and is not as usual: for most jobs nothing. Payload and result are kept by the log alone. Lists read the table
-- status by status (there are five), so every index begins with what they go by.
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  scheduled_at bigint NOT NULL,
  started_at bigint,
  finished_at bigint,
  lease_expires_at bigint,
  version integer NOT NULL CHECK (version >= 0),
  -- Of the event that holds the result.
  result_version integer,
  attempt integer NOT NULL,
  fencing_token integer NOT NULL,
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

-- A move changes the status, so it is never an update in place and writes every index: 4 of the 40 us of a row each, where
-- the row alone takes 17. These are the fewest with which each filter and each order reads a page and no more, whatever
-- share of the rows it lets through. An order needs its own index, since the others would have to be read whole and sorted.
-- A filter by queue or type needs its own, since a rare one would be looked for among all. Combinations of them have none:
-- they read the better one's rows until the page is full. Without the status in front, one that is rare would be looked for
-- among all; partial indexes, one a status, would hold the same entries. A page costs five short scans instead of one.
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

-- The rows of the jobs that a batch goes on with.
CREATE FUNCTION jobs_to_go_on_with(p_ids uuid[]) RETURNS SETOF jobs LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
BEGIN
  RETURN QUERY SELECT job.* FROM unnest(p_ids) AS wanted (id) JOIN jobs AS job USING (id);
END
$$;

-- Writes a batch: the last state of each job, the counts as differences, and what happened in which second; together, so
-- that the rows of a job and the counts that it is part of are never seen apart. Jobs that the batch began (`p_new_`) are
-- inserted, the others (`p_`) updated, since an insert that meets its row locks it first, and an update brings less.
CREATE FUNCTION jobs_write(
  p_new_ids uuid[], p_new_versions integer[], p_new_statuses text[], p_new_updated_ats bigint[],
  p_new_scheduled_ats bigint[], p_new_started_ats bigint[], p_new_finished_ats bigint[], p_new_lease_expires_ats bigint[],
  p_new_result_versions integer[], p_new_attempts integer[], p_new_fencing_tokens integer[], p_new_acknowledgeds boolean[],
  p_new_states json[], p_new_queues text[], p_new_types text[], p_new_created_ats bigint[], p_new_tags text[],
  p_ids uuid[], p_versions integer[], p_statuses text[], p_updated_ats bigint[],
  p_scheduled_ats bigint[], p_started_ats bigint[], p_finished_ats bigint[], p_lease_expires_ats bigint[],
  p_result_versions integer[], p_attempts integer[], p_fencing_tokens integer[], p_acknowledgeds boolean[],
  p_states json[], p_format smallint,
  p_count_queues text[], p_count_statuses text[], p_count_differences bigint[],
  p_seconds bigint[], p_second_queues text[], p_submitted integer[], p_started integer[], p_finished integer[]
) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
  -- Relative to the newest second there is, not to the clock: a rebuild then ends with the same rows.
  horizon bigint;
  updated integer;
BEGIN
  IF cardinality(p_new_ids) > 0 THEN
    INSERT INTO jobs AS known (
      id, version, status, updated_at, scheduled_at, started_at, finished_at, lease_expires_at, result_version, attempt,
      fencing_token, acknowledged, state, queue, type, created_at, tags, state_format
    )
    SELECT r.id, r.version, r.status, r.updated_at, r.scheduled_at, r.started_at, r.finished_at, r.lease_expires_at,
      r.result_version, r.attempt, r.fencing_token, r.acknowledged, r.state, r.queue, r.type, r.created_at,
      r.tags::text[], p_format
    FROM unnest(p_new_ids, p_new_versions, p_new_statuses, p_new_updated_ats, p_new_scheduled_ats, p_new_started_ats,
      p_new_finished_ats, p_new_lease_expires_ats, p_new_result_versions, p_new_attempts, p_new_fencing_tokens,
      p_new_acknowledgeds, p_new_states, p_new_queues, p_new_types, p_new_created_ats, p_new_tags)
      AS r (id, version, status, updated_at, scheduled_at, started_at, finished_at, lease_expires_at, result_version,
        attempt, fencing_token, acknowledged, state, queue, type, created_at, tags)
    ON CONFLICT (id) DO UPDATE SET
      version = excluded.version, status = excluded.status, updated_at = excluded.updated_at,
      scheduled_at = excluded.scheduled_at, started_at = excluded.started_at, finished_at = excluded.finished_at,
      lease_expires_at = excluded.lease_expires_at,
      result_version = coalesce(known.result_version, excluded.result_version), attempt = excluded.attempt,
      fencing_token = excluded.fencing_token, acknowledged = excluded.acknowledged, state = excluded.state,
      state_format = excluded.state_format
    WHERE known.version < excluded.version;
  END IF;
  IF cardinality(p_ids) > 0 THEN
    UPDATE jobs AS known SET
      version = r.version, status = r.status, updated_at = r.updated_at, scheduled_at = r.scheduled_at,
      started_at = r.started_at, finished_at = r.finished_at, lease_expires_at = r.lease_expires_at,
      result_version = coalesce(known.result_version, r.result_version), attempt = r.attempt,
      fencing_token = r.fencing_token, acknowledged = r.acknowledged, state = r.state, state_format = p_format
    FROM unnest(p_ids, p_versions, p_statuses, p_updated_ats, p_scheduled_ats, p_started_ats, p_finished_ats,
      p_lease_expires_ats, p_result_versions, p_attempts, p_fencing_tokens, p_acknowledgeds, p_states)
      AS r (id, version, status, updated_at, scheduled_at, started_at, finished_at, lease_expires_at, result_version,
        attempt, fencing_token, acknowledged, state)
    WHERE known.id = r.id AND known.version < r.version;
    GET DIAGNOSTICS updated = ROW_COUNT;
    -- The projector goes by what it wrote last. Nobody else may have touched the rows; if somebody did, it must look again.
    IF updated < cardinality(p_ids) THEN
      RAISE EXCEPTION 'rows of jobs are not as they were written' USING ERRCODE = 'HF002';
    END IF;
  END IF;

  INSERT INTO queue_stats AS known (queue, status, count)
  SELECT * FROM unnest(p_count_queues, p_count_statuses, p_count_differences)
  ON CONFLICT (queue, status) DO UPDATE SET count = known.count + excluded.count;

  horizon := greatest((SELECT max(a.second) FROM queue_activity AS a), (SELECT max(s) FROM unnest(p_seconds) AS s)) - 120;
  DELETE FROM queue_activity AS old WHERE old.second < horizon;
  INSERT INTO queue_activity AS known (second, queue, submitted, started, finished)
  SELECT r.* FROM unnest(p_seconds, p_second_queues, p_submitted, p_started, p_finished)
    AS r (second, queue, submitted, started, finished)
  WHERE r.second >= horizon
  ON CONFLICT (second, queue) DO UPDATE SET
    submitted = known.submitted + excluded.submitted,
    started = known.started + excluded.started,
    finished = known.finished + excluded.finished;
  RETURN true;
END
$$;

-- Writes the workers of a batch. Rows come as JSON, since arrays of arrays have no shape of their own in SQL.
CREATE FUNCTION workers_write(p_rows json) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO workers AS known
  SELECT * FROM json_populate_recordset(NULL::workers, p_rows)
  ON CONFLICT (worker_id) DO UPDATE SET
    started_at = excluded.started_at, stopped_at = excluded.stopped_at, stream_version = excluded.stream_version,
    pid = excluded.pid, concurrency = excluded.concurrency, host = excluded.host, version = excluded.version,
    queues = excluded.queues, types = excluded.types
  WHERE known.stream_version < excluded.stream_version;
  RETURN true;
END
$$;
