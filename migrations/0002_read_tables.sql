-- What may be claimed and which leases end when: small and hot, a row for each pending and running job and for no other.
-- Instants are epoch milliseconds, as everywhere in the read tables.
--
-- Pages are left half empty so that marks (`offered_until`, `withheld_version`, which no index knows) are updates in place.
CREATE TABLE due_jobs (
  job_id uuid PRIMARY KEY,
  rank bigint NOT NULL,
  -- Log number of the event that put the row in: `Submitted`, or `Replayed` for a job that had been dead.
  entered_position bigint NOT NULL,
  due_at bigint NOT NULL,
  -- A hint: other pickers leave the row alone until then.
  offered_until bigint,
  version integer NOT NULL CHECK (version >= 0),
  -- A hint: an append at this version was refused, so the row is left alone until it moves.
  withheld_version integer,
  state_format smallint NOT NULL,
  ready boolean NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'running')),
  queue text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  request_id text COLLATE "C",
  -- The folded job, from its third event on; before that it is made of the event or two that there are, which costs less
  -- than to write it, and its life is over by then mostly.
  state json,
  CONSTRAINT due_jobs_later_state_is_kept CHECK (version < 2 OR state IS NOT NULL),
  CONSTRAINT due_jobs_pending_has_no_lease CHECK (status = 'running' OR request_id IS NULL),
  CONSTRAINT due_jobs_running_is_not_ready CHECK (status = 'pending' OR NOT ready)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.2,
  autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX due_jobs_ready ON due_jobs (rank, entered_position) WHERE status = 'pending' AND ready;
CREATE INDEX due_jobs_ready_by_type ON due_jobs (queue, type, rank, entered_position) WHERE status = 'pending' AND ready;
CREATE INDEX due_jobs_waiting ON due_jobs (due_at) WHERE status = 'pending' AND NOT ready;
CREATE INDEX due_jobs_leases ON due_jobs (due_at) WHERE status = 'running';
CREATE INDEX due_jobs_requests ON due_jobs (request_id) WHERE request_id IS NOT NULL;

-- Keeps the table in step with an append, in the append's own transaction: `positions` has, for the n-th append, the number
-- of its first event, or 0 when it was not written. Rows and ids name their append by `ords`, from 0.
--
-- A job enters with its first event, when it cannot have a row; that one is a plain insert. Later its row is there, and an
-- update costs less than an upsert, which locks the row first. What the update does not find (a replayed job, which had no
-- row while it was dead) is put in then.
CREATE FUNCTION due_jobs_follow_append(
  positions bigint[], entering integer,
  job_ids uuid[], versions integer[], statuses text[], queues text[], types text[], ranks bigint[], due_ats bigint[],
  readies boolean[], request_ids text[], states json[], format smallint, ords integer[],
  gone_ids uuid[], gone_ords integer[]
)
RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
#variable_conflict use_column
DECLARE
  moving integer;
  moved integer;
BEGIN
  IF entering > 0 THEN
    INSERT INTO due_jobs (
      job_id, version, status, queue, type, rank, due_at, ready, request_id, state, state_format, entered_position
    )
    SELECT r.job_id, r.version, r.status, r.queue, r.type, r.rank, r.due_at, r.ready, r.request_id, r.state, format,
      positions[r.ord + 1]
    FROM unnest(job_ids, versions, statuses, queues, types, ranks, due_ats, readies, request_ids, states, ords)
      AS r (job_id, version, status, queue, type, rank, due_at, ready, request_id, state, ord)
    WHERE r.version = 0 AND positions[r.ord + 1] > 0;
  END IF;
  IF entering < cardinality(job_ids) THEN
    SELECT count(*) INTO moving FROM unnest(versions, ords) AS r (version, ord) WHERE r.version > 0 AND positions[r.ord + 1] > 0;
    UPDATE due_jobs AS due SET
      version = r.version, status = r.status, rank = r.rank, due_at = r.due_at, ready = r.ready, request_id = r.request_id,
      state = r.state, state_format = format, offered_until = NULL, withheld_version = NULL
    FROM unnest(job_ids, versions, statuses, ranks, due_ats, readies, request_ids, states, ords)
      AS r (job_id, version, status, rank, due_at, ready, request_id, state, ord)
    WHERE due.job_id = r.job_id AND r.version > 0 AND positions[r.ord + 1] > 0 AND due.version < r.version;
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved < moving THEN
      INSERT INTO due_jobs AS due (
        job_id, version, status, queue, type, rank, due_at, ready, request_id, state, state_format, entered_position
      )
      SELECT r.job_id, r.version, r.status, r.queue, r.type, r.rank, r.due_at, r.ready, r.request_id, r.state, format,
        positions[r.ord + 1]
      FROM unnest(job_ids, versions, statuses, queues, types, ranks, due_ats, readies, request_ids, states, ords)
        AS r (job_id, version, status, queue, type, rank, due_at, ready, request_id, state, ord)
      WHERE r.version > 0 AND positions[r.ord + 1] > 0
      ON CONFLICT (job_id) DO UPDATE SET
        version = excluded.version, status = excluded.status, rank = excluded.rank, due_at = excluded.due_at,
        ready = excluded.ready, request_id = excluded.request_id, state = excluded.state,
        state_format = excluded.state_format, offered_until = NULL, withheld_version = NULL
      WHERE due.version < excluded.version;
    END IF;
  END IF;
  IF cardinality(gone_ids) > 0 THEN
    DELETE FROM due_jobs AS due USING unnest(gone_ids, gone_ords) AS gone (job_id, ord)
    WHERE due.job_id = gone.job_id AND positions[gone.ord + 1] > 0;
  END IF;
END
$$;

-- Writes the due rows of a batch as a projector folded them, and takes away those of finished jobs.
CREATE FUNCTION due_jobs_write(
  p_job_ids uuid[], p_versions integer[], p_statuses text[], p_queues text[], p_types text[], p_ranks bigint[],
  p_due_ats bigint[], p_readies boolean[], p_request_ids text[], p_states json[], p_format smallint,
  p_entered_positions bigint[], p_gone_ids uuid[]
) RETURNS boolean LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM due_jobs AS due USING unnest(p_gone_ids) AS gone (job_id) WHERE due.job_id = gone.job_id;
  INSERT INTO due_jobs AS due (
    job_id, version, status, queue, type, rank, due_at, ready, request_id, state, state_format, entered_position
  )
  SELECT r.job_id, r.version, r.status, r.queue, r.type, r.rank, r.due_at, r.ready, r.request_id, r.state, p_format,
    r.entered_position
  FROM unnest(p_job_ids, p_versions, p_statuses, p_queues, p_types, p_ranks, p_due_ats, p_readies, p_request_ids,
    p_states, p_entered_positions)
    AS r (job_id, version, status, queue, type, rank, due_at, ready, request_id, state, entered_position)
  ON CONFLICT (job_id) DO UPDATE SET
    version = excluded.version, status = excluded.status, rank = excluded.rank, due_at = excluded.due_at,
    ready = excluded.ready, request_id = excluded.request_id, state = excluded.state,
    state_format = excluded.state_format, entered_position = excluded.entered_position,
    offered_until = NULL, withheld_version = NULL
  WHERE due.version < excluded.version;
  RETURN true;
END
$$;

-- Moves jobs whose time has come into the index that picks read; answers how many. Never waits for another picker.
CREATE FUNCTION due_jobs_promote(p_now bigint, p_limit integer) RETURNS integer
LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  promoted integer;
BEGIN
  UPDATE due_jobs AS due SET ready = true
  WHERE due.job_id IN (
    SELECT waiting.job_id FROM due_jobs AS waiting
    WHERE waiting.status = 'pending' AND NOT waiting.ready AND waiting.due_at <= p_now
    ORDER BY waiting.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS promoted = ROW_COUNT;
  RETURN promoted;
END
$$;

-- The (queue, type) pairs that ready jobs have, as far as they are asked for: null asks for all. Jumps from one to the
-- next in the index, so what lies between, however much, costs nothing.
CREATE FUNCTION due_jobs_pairs(p_queues text[], p_types text[]) RETURNS TABLE (queue text, type text)
LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH RECURSIVE present_queue AS (
    (SELECT due.queue FROM due_jobs AS due WHERE due.status = 'pending' AND due.ready AND p_queues IS NULL
      ORDER BY due.queue LIMIT 1)
    UNION ALL
    SELECT later.queue FROM present_queue AS known CROSS JOIN LATERAL (
      SELECT due.queue FROM due_jobs AS due WHERE due.status = 'pending' AND due.ready AND due.queue > known.queue
      ORDER BY due.queue LIMIT 1
    ) AS later
  ),
  wanted_queue AS (
    SELECT present_queue.queue FROM present_queue UNION SELECT asked.queue FROM unnest(p_queues) AS asked (queue)
  ),
  present_type AS (
    SELECT wanted.queue, first.type FROM wanted_queue AS wanted CROSS JOIN LATERAL (
      SELECT due.type FROM due_jobs AS due
      WHERE due.status = 'pending' AND due.ready AND due.queue = wanted.queue AND p_types IS NULL
      ORDER BY due.type LIMIT 1
    ) AS first
    UNION ALL
    SELECT known.queue, later.type FROM present_type AS known CROSS JOIN LATERAL (
      SELECT due.type FROM due_jobs AS due
      WHERE due.status = 'pending' AND due.ready AND due.queue = known.queue AND due.type > known.type
      ORDER BY due.type LIMIT 1
    ) AS later
  )
  SELECT present_type.queue, present_type.type FROM present_type
  UNION
  SELECT wanted.queue, asked.type FROM wanted_queue AS wanted CROSS JOIN unnest(p_types) AS asked (type);
END
$$;

-- Marks the best free jobs of the asked queues and types as offered and answers them, best first. One more row, without
-- a job, tells when the next waiting job is due (an instant that has passed: there is more to promote, ask again), and
-- whether leases have ended that nobody has swept yet.
--
-- For several pairs of queue and type it first counts, without locks, how many of the best come from each pair, then locks
-- that many in each. Where another picker holds rows, the lock skips to the next of the same pair, so two pickers at once
-- get different jobs and neither locks more than it takes.
CREATE FUNCTION due_jobs_pick(p_queues text[], p_types text[], p_limit integer, p_now bigint, p_offered_until bigint)
RETURNS TABLE (
  job_id uuid, version integer, entered_position bigint, state_format smallint, state json, next_due_at bigint,
  has_overdue boolean
)
LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  promotion_batch CONSTANT integer := 1000;
  promoted integer;
  picked integer;
  chosen uuid[];
  pairs record;
BEGIN
  LOOP
    promoted := due_jobs_promote(p_now, promotion_batch);
    IF p_queues IS NULL AND p_types IS NULL THEN
      chosen := array(
        SELECT due.job_id FROM due_jobs AS due
        WHERE due.status = 'pending' AND due.ready
          AND (due.offered_until IS NULL OR due.offered_until <= p_now)
          AND due.withheld_version IS DISTINCT FROM due.version
        ORDER BY due.rank, due.entered_position LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
      );
    ELSE
      SELECT array_agg(p.queue) AS queues, array_agg(p.type) AS types INTO pairs FROM due_jobs_pairs(p_queues, p_types) AS p;
      chosen := array(
        WITH best AS MATERIALIZED (
          SELECT pair.queue, pair.type FROM unnest(pairs.queues, pairs.types) AS pair (queue, type) CROSS JOIN LATERAL (
            SELECT due.rank, due.entered_position FROM due_jobs AS due
            WHERE due.status = 'pending' AND due.ready AND due.queue = pair.queue AND due.type = pair.type
              AND (due.offered_until IS NULL OR due.offered_until <= p_now)
              AND due.withheld_version IS DISTINCT FROM due.version
            ORDER BY due.rank, due.entered_position LIMIT p_limit
          ) AS free
          WHERE cardinality(pairs.queues) > 1
          ORDER BY free.rank, free.entered_position LIMIT p_limit
        ),
        share AS MATERIALIZED (
          SELECT best.queue, best.type, count(*) AS jobs FROM best GROUP BY best.queue, best.type
          UNION ALL
          SELECT pairs.queues[1], pairs.types[1], p_limit WHERE cardinality(pairs.queues) = 1
        )
        SELECT free.job_id FROM share CROSS JOIN LATERAL (
          SELECT due.job_id FROM due_jobs AS due
          WHERE due.status = 'pending' AND due.ready AND due.queue = share.queue AND due.type = share.type
            AND (due.offered_until IS NULL OR due.offered_until <= p_now)
            AND due.withheld_version IS DISTINCT FROM due.version
          ORDER BY due.rank, due.entered_position LIMIT share.jobs FOR NO KEY UPDATE SKIP LOCKED
        ) AS free
      );
    END IF;
    picked := cardinality(chosen);
    -- Thousands that came due at once must not hide the one that is asked for.
    EXIT WHEN picked > 0 OR promoted < promotion_batch;
  END LOOP;
  IF picked > 0 THEN
    RETURN QUERY
    WITH marked AS (
      UPDATE due_jobs AS due SET offered_until = p_offered_until
      FROM unnest(chosen) AS mine (job_id) WHERE due.job_id = mine.job_id
      RETURNING due.job_id, due.version, due.entered_position, due.state_format, due.state, due.rank
    )
    SELECT marked.job_id, marked.version, marked.entered_position, marked.state_format, marked.state, NULL::bigint, NULL::boolean
    FROM marked ORDER BY marked.rank, marked.entered_position;
  END IF;
  RETURN QUERY SELECT NULL::uuid, NULL::integer, NULL::bigint, NULL::smallint, NULL::json, (
    SELECT due.due_at FROM due_jobs AS due WHERE due.status = 'pending' AND NOT due.ready ORDER BY due.due_at LIMIT 1
  ), EXISTS (
    SELECT FROM due_jobs AS due
    WHERE due.status = 'running' AND due.due_at <= p_now
      AND (due.offered_until IS NULL OR due.offered_until <= p_now)
      AND due.withheld_version IS DISTINCT FROM due.version
  );
END
$$;

-- Running jobs whose lease, or whose grace after a cancel, is over, longest first; marked like picked ones, so that
-- sweepers in several processes see different ones.
CREATE FUNCTION due_jobs_overdue(p_limit integer, p_now bigint, p_offered_until bigint)
RETURNS TABLE (job_id uuid, version integer, entered_position bigint, state_format smallint, state json)
LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH chosen AS MATERIALIZED (
    SELECT due.job_id FROM due_jobs AS due
    WHERE due.status = 'running' AND due.due_at <= p_now
      AND (due.offered_until IS NULL OR due.offered_until <= p_now)
      AND due.withheld_version IS DISTINCT FROM due.version
    ORDER BY due.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  UPDATE due_jobs AS due SET offered_until = p_offered_until FROM chosen WHERE due.job_id = chosen.job_id
  RETURNING due.job_id, due.version, due.entered_position, due.state_format, due.state;
END
$$;

-- Lease calls by the id their caller gave them, so that a repeat finds the leases of the first.
CREATE TABLE lease_requests (
  request_id text COLLATE "C" PRIMARY KEY,
  worker_id text NOT NULL,
  -- A call is under way until then at the latest; its process may have died.
  busy_until bigint NOT NULL,
  -- The id belongs to its worker until then.
  bound_until bigint NOT NULL
);
CREATE INDEX lease_requests_old ON lease_requests (bound_until);
