-- The event log: one append-only table, its identity, and the only two ways in and out of it.
--
-- Every function pins its search_path to the schema it was made in, so that the guards hold for whoever comes through
-- psql. Statements inside them must stay index lookups on a table that fills fast and was never analyzed, while plpgsql
-- keeps one generic plan for the life of a connection: hence `enable_seqscan = off` on the functions. The generic plan is
-- asked for outright, since planning anew at each call costs more than the call. Before PostgreSQL 18 a plan that cannot
-- do without what was turned off looks so dear that it would be compiled at every call: hence `jit = off`.

-- Positions count from 1; number 0 is the start of the log, before its first event.
CREATE SEQUENCE event_position MINVALUE 0 START 0 CACHE 1;
SELECT nextval('event_position');

CREATE TABLE events (
  position bigint PRIMARY KEY,
  recorded_at timestamptz(3) NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL CHECK (version >= 0),
  -- Job streams only: where the job stands after this event.
  fencing_token integer CHECK (fencing_token >= 0),
  schema_version smallint NOT NULL,
  stream text COLLATE "C" NOT NULL CHECK (stream <> ''),
  type text NOT NULL,
  status text CHECK (status IN ('pending', 'running', 'succeeded', 'dead', 'cancelled')),
  -- `json`, not `jsonb`: the text is kept as it was written.
  data json NOT NULL,
  metadata json NOT NULL,
  CONSTRAINT events_stream_version UNIQUE (stream, version),
  CONSTRAINT events_mark_is_whole CHECK ((status IS NULL) = (fencing_token IS NULL))
);

CREATE TABLE log_identity (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO log_identity DEFAULT VALUES;

-- What was recorded stays as it was recorded.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: the event log is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER made_once BEFORE UPDATE OR DELETE OR TRUNCATE ON log_identity
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Refuses a hole in a stream and an illegal move of a job, for whoever bypasses the domain. The same status twice is an
-- event that does not move the job; only a claim raises the fencing token, and by one. What it costs, measured side by
-- side with a log that lacks it, on two busy cores: in batches of 1 event 3 % of the events a second (6 % CPU of the
-- server), in batches of 1,000 4 % (10 % CPU).
CREATE FUNCTION refuse_illegal_events() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
DECLARE
  illegal record;
BEGIN
  SELECT a.stream, a.version, a.status, a.fencing_token, p.status AS old_status, p.fencing_token AS old_token
  INTO illegal
  FROM added a
  LEFT JOIN LATERAL (
    SELECT e.version, e.status, e.fencing_token FROM events e WHERE e.stream = a.stream AND e.version = a.version - 1
  ) p ON true
  WHERE CASE
    WHEN a.version = 0 THEN a.status IS NULL OR (a.status = 'pending' AND a.fencing_token = 0)
    WHEN p.version IS NULL THEN false
    WHEN p.status IS NULL THEN a.status IS NULL
    ELSE a.fencing_token = p.fencing_token + (p.status = 'pending' AND a.status = 'running')::integer
      AND CASE p.status
        WHEN 'pending' THEN a.status IN ('pending', 'running', 'cancelled')
        WHEN 'running' THEN true
        WHEN 'dead' THEN a.status IN ('dead', 'pending')
        ELSE a.status = p.status
      END
  END IS NOT TRUE
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'illegal event at version % of %: from % (token %) to % (token %)', illegal.version, illegal.stream,
      coalesce(illegal.old_status, 'nothing'), illegal.old_token, coalesce(illegal.status, 'nothing'), illegal.fencing_token
      USING ERRCODE = 'check_violation', CONSTRAINT = 'events_legal_move';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER legal_move AFTER INSERT ON events REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_illegal_events();

-- How readers and writers agree on what may be read.
--
-- Numbers are given out before their rows can be seen, so a reader that goes by the highest number it sees steps over
-- the transaction that took a lower one and commits later. Therefore an append first *announces a floor*: it reads the
-- last number given out, F, and takes a shared advisory lock that spells F, until its transaction ends; only then it
-- takes numbers, all of them above F. A reader takes three looks, each with a snapshot of its own:
--
--   1. S, the last number given out;
--   2. the floors announced at that moment;
--   3. the events up to the bound, the smaller of S and the lowest floor.
--
-- No append can slip through. Take one with a number p <= S that the third look does not see. It took p before the first
-- look, and announced its floor F < p before that. Had it ended before the second look, its rows would be visible to the
-- third (a commit becomes visible before its locks are let go), or it rolled back and p stays empty for ever. So it was
-- under way at the second look, its floor was seen, and the bound is at most F < p: the reader stops before it.
--
-- Nobody is held back for nothing. Floors are announced by appends alone, so a transaction that has nothing to do with
-- the log, in this database or another, does not count (as it would with a bound made of transaction ids). A number that
-- was burnt by a rollback has no floor once the transaction is over, and is simply not there. A frozen client holds no
-- floor, for an append is one call in its own transaction, and the server ends that by itself.
--
-- The lock's 64 bits: 24 of the sequence's oid, which tell logs in one database apart, and 40 for the number, more than
-- the largest table Postgres can have. A stranger's advisory lock in that range could only make readers wait for it.
CREATE FUNCTION append_lock_space() RETURNS bigint LANGUAGE sql STABLE
RETURN 'event_position'::regclass::oid::bigint & 16777215;

-- The first two looks. `last_number` is S, `bound` the number up to which everything is settled.
CREATE FUNCTION readable_bound(OUT last_number bigint, OUT bound bigint) LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the log is read in read committed transactions only: each look needs a snapshot of its own';
  END IF;
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'the log cannot be read on a standby: appends announce themselves on the primary only'
      USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  SELECT last_value INTO last_number FROM event_position;
  SELECT least(last_number, min((l.classid::bigint & 255) << 32 | l.objid::bigint)) INTO bound
  FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND l.classid::bigint >> 8 = append_lock_space();
END
$$;

-- A page of the log behind a number. The first row is no event: it tells the last number given out and the bound.
CREATE FUNCTION read_events(after_number bigint, page_size integer)
RETURNS TABLE (
  last_number bigint, bound bigint, "position" bigint, stream text, version integer, id uuid, type text,
  schema_version smallint, status text, fencing_token integer, recorded_at timestamptz, data json, metadata json
)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
  seen record;
BEGIN
  SELECT b.last_number, b.bound INTO seen FROM readable_bound() b;
  RETURN QUERY SELECT seen.last_number, seen.bound, NULL::bigint, NULL::text, NULL::integer, NULL::uuid, NULL::text,
    NULL::smallint, NULL::text, NULL::integer, NULL::timestamptz, NULL::json, NULL::json;
  RETURN QUERY SELECT NULL::bigint, NULL::bigint, e.position, e.stream, e.version, e.id, e.type,
    e.schema_version, e.status, e.fencing_token, e.recorded_at, e.data, e.metadata
  FROM events e
  WHERE e.position > after_number AND e.position <= seen.bound
  ORDER BY e.position
  LIMIT page_size;
END
$$;

-- The last event that readers can see. Never a number without an event: one that was burnt may be given out again when
-- the server crashes before it wrote the sequence down, and a reader that had gone up to it would step over the event.
CREATE FUNCTION log_head(OUT last_number bigint, OUT head bigint) LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
AS $$
DECLARE
  bound bigint;
BEGIN
  SELECT b.last_number, b.bound INTO log_head.last_number, bound FROM readable_bound() b;
  SELECT coalesce(max(e.position), 0) INTO head FROM events e WHERE e.position <= bound;
END
$$;

-- Appends to many streams, each at the version it expects, and answers per stream: `appended`, `repeated` (these very
-- ids stand there already) or `conflict` (with the version the stream is at). Streams must not occur twice in one call.
--
-- The first arrays describe the appends: stream, expected version, place of the first event (from 1), number of events.
-- The others describe the events of all of them, in order; `event_appends` counts from 0, `recorded_ats` is epoch
-- milliseconds.
--
-- The order of the steps matters:
-- * The stream's tail is read before numbers are taken. Were it the other way round, version 6 could get a lower number
--   than version 5, which another transaction commits in between, and readers would meet a stream out of order.
-- * The first event of each stream decides who wins. All writers insert these by stream name, so they cannot deadlock,
--   and only winners write the rest: no append is torn, and a loser leaves nothing behind.
-- * DO NOTHING must never pass for a success: who won is told by the numbers that were inserted, and losers are judged
--   anew, by a snapshot that sees the winner.
CREATE FUNCTION append_events(
  streams text[], expected_versions integer[], first_events integer[], event_counts integer[],
  event_appends integer[], event_streams text[], event_versions integer[], ids uuid[], types text[],
  schema_versions smallint[], statuses text[], fencing_tokens integer[], recorded_ats bigint[], datas text[], metadatas text[]
)
RETURNS TABLE (ord integer, outcome text, version integer, first_position bigint, "position" bigint)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
  tails integer[];
  numbers bigint[];
  won boolean[];
  candidates integer;
  inserted integer;
BEGIN
  -- What is acknowledged is on disk, whatever the database or the role was told for other work. A stricter setting stays.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  PERFORM pg_advisory_xact_lock_shared(append_lock_space() << 40 | s.last_value) FROM event_position s;

  tails := array(
    SELECT coalesce(
      (SELECT e.version FROM events e WHERE e.stream = a.stream ORDER BY e.version DESC LIMIT 1), -1)
    FROM unnest(streams) WITH ORDINALITY AS a (stream, place)
    ORDER BY a.place);
  numbers := array(
    SELECT CASE WHEN tails[n.append + 1] = expected_versions[n.append + 1] THEN nextval('event_position') ELSE 0 END
    FROM unnest(event_appends) WITH ORDINALITY AS n (append, place)
    ORDER BY n.place);
  won := array(
    SELECT numbers[a.first_event] > 0
    FROM unnest(first_events) WITH ORDINALITY AS a (first_event, place)
    ORDER BY a.place);
  candidates := cardinality(array_positions(won, true));

  INSERT INTO events (position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata)
  SELECT numbers[n.place], n.stream, n.version, n.id, n.type, n.schema_version, n.status, n.fencing_token,
    timestamptz 'epoch' + n.recorded_at * interval '1 millisecond', n.data::json, n.metadata::json
  FROM unnest(event_appends, event_streams, event_versions, ids, types, schema_versions, statuses, fencing_tokens,
    recorded_ats, datas, metadatas) WITH ORDINALITY
    AS n (append, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata, place)
  WHERE won[n.append + 1] AND n.place = first_events[n.append + 1]
  ORDER BY n.stream COLLATE "C"
  ON CONFLICT (stream, version) DO NOTHING;
  GET DIAGNOSTICS inserted = ROW_COUNT;

  IF inserted < candidates THEN
    won := array(
      SELECT EXISTS (SELECT FROM events e WHERE e.position = numbers[a.first_event])
      FROM unnest(first_events) WITH ORDINALITY AS a (first_event, place)
      ORDER BY a.place);
  END IF;

  IF cardinality(ids) > cardinality(streams) AND inserted > 0 THEN
    INSERT INTO events (position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata)
    SELECT numbers[n.place], n.stream, n.version, n.id, n.type, n.schema_version, n.status, n.fencing_token,
      timestamptz 'epoch' + n.recorded_at * interval '1 millisecond', n.data::json, n.metadata::json
    FROM unnest(event_appends, event_streams, event_versions, ids, types, schema_versions, statuses, fencing_tokens,
      recorded_ats, datas, metadatas) WITH ORDINALITY
      AS n (append, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata, place)
    WHERE won[n.append + 1] AND n.place <> first_events[n.append + 1]
    ORDER BY n.place;
  END IF;

  RETURN QUERY
  SELECT a.place::integer - 1, 'appended', a.expected + a.events, numbers[a.first_event],
    numbers[a.first_event + a.events - 1]
  FROM unnest(expected_versions, first_events, event_counts) WITH ORDINALITY AS a (expected, first_event, events, place)
  WHERE won[a.place];

  IF inserted < cardinality(streams) THEN
    RETURN QUERY
    SELECT a.place::integer - 1, judged.outcome, judged.version, judged.first_position, judged.position
    FROM unnest(streams, expected_versions, first_events, event_counts) WITH ORDINALITY
      AS a (stream, expected, first_event, events, place)
    CROSS JOIN LATERAL judge_refused_append(a.stream, a.expected, ids[a.first_event : a.first_event + a.events - 1]) judged
    WHERE NOT won[a.place];
  END IF;
END
$$;

-- The same for appends that go in together or not at all: one conflict rolls everything back, and the error's detail
-- names the place (from 0) of each append that was in conflict.
CREATE FUNCTION append_events_together(
  streams text[], expected_versions integer[], first_events integer[], event_counts integer[],
  event_appends integer[], event_streams text[], event_versions integer[], ids uuid[], types text[],
  schema_versions smallint[], statuses text[], fencing_tokens integer[], recorded_ats bigint[], datas text[], metadatas text[]
)
RETURNS TABLE (ord integer, outcome text, version integer, first_position bigint, "position" bigint)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
AS $$
DECLARE
  refused integer[] := '{}';
BEGIN
  FOR ord, outcome, version, first_position, "position" IN
    SELECT a.ord, a.outcome, a.version, a.first_position, a.position
    FROM append_events(streams, expected_versions, first_events, event_counts, event_appends, event_streams,
      event_versions, ids, types, schema_versions, statuses, fencing_tokens, recorded_ats, datas, metadatas) a
  LOOP
    IF outcome = 'conflict' THEN
      refused := refused || ord;
    END IF;
    RETURN NEXT;
  END LOOP;
  IF cardinality(refused) > 0 THEN
    RAISE EXCEPTION 'appends that belong together are in conflict' USING ERRCODE = 'HF001', DETAIL = array_to_string(refused, ',');
  END IF;
END
$$;

-- What became of an append that was not written. When its ids stand behind the expected version, in order, an earlier
-- call wrote it, and its first and last position are told again; contents are not compared. Anything else is a conflict.
CREATE FUNCTION judge_refused_append(stream_name text, expected integer, submitted uuid[])
RETURNS TABLE (outcome text, version integer, first_position bigint, "position" bigint)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
  stored record;
BEGIN
  SELECT array_agg(e.id ORDER BY e.version) AS ids, max(e.version) AS version,
    min(e.position) AS first_position, max(e.position) AS position
  INTO stored
  FROM events e
  WHERE e.stream = stream_name AND e.version > expected AND e.version <= expected + cardinality(submitted);
  IF stored.ids = submitted THEN
    RETURN QUERY SELECT 'repeated', stored.version, stored.first_position, stored.position;
  ELSE
    RETURN QUERY SELECT 'conflict',
      coalesce((SELECT e.version FROM events e WHERE e.stream = stream_name ORDER BY e.version DESC LIMIT 1), -1),
      NULL::bigint, NULL::bigint;
  END IF;
END
$$;
