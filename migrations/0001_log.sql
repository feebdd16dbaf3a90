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

-- Whether an event may follow another of its stream, by where the job stands before and after it; the old values are null
-- when nothing came before. The same status twice is an event that does not move the job; only a claim raises the fencing
-- token, and by one.
CREATE FUNCTION is_legal_move(old_status text, old_token integer, new_status text, new_token integer, is_first boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN is_first THEN new_status IS NULL OR (new_status = 'pending' AND new_token = 0)
  WHEN old_status IS NULL THEN new_status IS NULL
  ELSE new_token = old_token + (old_status = 'pending' AND new_status = 'running')::integer
    AND CASE old_status
      WHEN 'pending' THEN new_status IN ('pending', 'running', 'cancelled')
      WHEN 'running' THEN true
      WHEN 'dead' THEN new_status IN ('dead', 'pending')
      ELSE new_status = old_status
    END
END IS TRUE;

CREATE FUNCTION refuse_move(stream text, version integer, old_status text, old_token integer, new_status text, new_token integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'illegal event at version % of %: from % (token %) to % (token %)', version, stream,
    coalesce(old_status, 'nothing'), old_token, coalesce(new_status, 'nothing'), new_token
    USING ERRCODE = 'check_violation', CONSTRAINT = 'events_legal_move';
END
$$;

-- Refuses a hole in a stream and an illegal move of a job, for whoever bypasses the domain. `append_events` judges moves
-- itself, with the look at the stream's tail that it needs anyway, and says so for as long as it runs; every other way in
-- is judged here, row by row. (A trigger that judged a whole statement, with the rows it was handed, took half of what a
-- plain insert of a thousand events with a look at each tail took: 29 microseconds an event with it, 14 without.) It keeps
-- out mistakes, not intent:
-- whoever may insert may also say that the moves are judged, as an owner may drop the trigger.
CREATE FUNCTION refuse_illegal_event() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT
AS $$
DECLARE
  before record;
BEGIN
  SELECT e.version, e.status, e.fencing_token INTO before FROM events e
  WHERE e.stream = NEW.stream AND e.version = NEW.version - 1;
  IF NOT (FOUND OR NEW.version = 0)
    OR NOT is_legal_move(before.status, before.fencing_token, NEW.status, NEW.fencing_token, NEW.version = 0) THEN
    PERFORM refuse_move(NEW.stream, NEW.version, before.status, before.fencing_token, NEW.status, NEW.fencing_token);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER legal_move AFTER INSERT ON events FOR EACH ROW
  WHEN (current_setting('holdfast.moves_are_judged', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_illegal_event();

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

-- Epoch milliseconds of an instant that was stored with milliseconds. Stable, as the function it calls, or it would be
-- called row by row instead of becoming part of the statement.
CREATE FUNCTION epoch_ms(instant timestamptz) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
RETURN (date_part('epoch', instant) * 1000)::bigint;

-- A page of the log behind a number. The first row is no event: its `position` is the last number given out, and it alone
-- has a `bound`. `recorded_at` is epoch milliseconds.
CREATE FUNCTION read_events(after_number bigint, page_size integer)
RETURNS TABLE (
  "position" bigint, stream text, version integer, id uuid, type text, schema_version smallint, status text,
  fencing_token integer, recorded_at bigint, data json, metadata json, bound bigint
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
  RETURN QUERY SELECT seen.last_number, NULL::text, NULL::integer, NULL::uuid, NULL::text, NULL::smallint, NULL::text,
    NULL::integer, NULL::bigint, NULL::json, NULL::json, seen.bound;
  RETURN QUERY SELECT e.position, e.stream, e.version, e.id, e.type, e.schema_version, e.status, e.fencing_token,
    epoch_ms(e.recorded_at), e.data, e.metadata, NULL::bigint
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

-- Appends to many streams, each at the version it expects. Answers with one row: per append the positions of its first and
-- its last event, or 0 when it was not written; and about each of those, in `refused`, whether it is `repeated` (these very
-- ids stand there already) or a `conflict` (with the version the stream is at). Streams must not occur twice in one call.
--
-- The first two arrays describe the appends: place of the first event (from 1) and number of events. The others describe
-- the events of all of them, in order; `event_appends` counts from 0, `recorded_ats` is epoch milliseconds.
--
-- The order of the steps matters:
-- * The stream's tail is read before numbers are taken (in one statement: by the snapshot it began with). Were it the other
--   way round, version 6 could get a lower number than version 5, which another transaction commits in between, and readers
--   would meet a stream out of order.
-- * All writers insert by stream name, so they cannot deadlock.
-- * Appends of one event, which nearly all are, go in by one statement, as if their streams could not move between the look
--   at the tail and the insert. If one did, everything is taken back and done again with care.
CREATE FUNCTION append_events(
  first_events integer[], event_counts integer[],
  event_appends integer[], event_streams text[], event_versions integer[], ids uuid[], types text[],
  schema_versions smallint[], statuses text[], fencing_tokens integer[], recorded_ats bigint[], datas json[], metadatas json[]
)
RETURNS TABLE (first_positions bigint[], last_positions bigint[], refused json)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
  SET holdfast.moves_are_judged = on
AS $$
#variable_conflict use_column
BEGIN
  -- What is acknowledged is on disk, whatever the database or the role was told for other work. A stricter setting stays.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  PERFORM pg_advisory_xact_lock_shared(append_lock_space() << 40 | s.last_value) FROM event_position s;

  IF cardinality(first_events) = cardinality(ids) THEN
    BEGIN
      -- Position 0: the stream is elsewhere. -1: it is there, but the move is not a legal one.
      WITH asked AS MATERIALIZED (
        SELECT e.*, CASE WHEN coalesce(tail.version, -1) <> e.version - 1 THEN 0
          WHEN NOT is_legal_move(tail.status, tail.fencing_token, e.status, e.fencing_token, e.version = 0) THEN -1
          ELSE nextval('event_position') END AS position
        FROM unnest(event_streams, event_versions, ids, types, schema_versions, statuses, fencing_tokens, recorded_ats, datas,
          metadatas) WITH ORDINALITY
          AS e (stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata, place)
        LEFT JOIN LATERAL (
          SELECT t.version, t.status, t.fencing_token FROM events t WHERE t.stream = e.stream ORDER BY t.version DESC LIMIT 1
        ) tail ON true
      ),
      written AS (
        INSERT INTO events (position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata)
        SELECT a.position, a.stream, a.version, a.id, a.type, a.schema_version, a.status, a.fencing_token,
          timestamptz 'epoch' + a.recorded_at * interval '1 millisecond', a.data, a.metadata
        FROM asked a WHERE a.position > 0 ORDER BY a.stream COLLATE "C"
      )
      SELECT array_agg(a.position ORDER BY a.place) INTO first_positions FROM asked a;
      last_positions := first_positions;
    EXCEPTION WHEN unique_violation THEN
      first_positions := NULL;
    END;
    IF -1 = ANY (first_positions) THEN
      PERFORM refuse_illegal_appends(first_positions, event_appends, event_streams, event_versions, statuses, fencing_tokens);
    END IF;
  END IF;
  IF first_positions IS NULL THEN
    SELECT a.first_positions, a.last_positions INTO first_positions, last_positions
    FROM append_events_with_care(first_events, event_counts, event_appends, event_streams, event_versions, ids, types, schema_versions, statuses,
      fencing_tokens, recorded_ats, datas, metadatas) a;
  END IF;

  IF 0 = ANY (first_positions) THEN
    refused := (
      SELECT json_agg(json_build_object('ord', a.append, 'outcome', judged.outcome, 'version', judged.version,
        'position', judged.position))
      FROM unnest(event_appends, event_streams, event_versions) WITH ORDINALITY AS a (append, stream, version, place)
      CROSS JOIN LATERAL judge_refused_append(
        a.stream, a.version - 1, ids[a.place : a.place + event_counts[a.append + 1] - 1]) judged
      WHERE first_positions[a.append + 1] = 0 AND a.place = first_events[a.append + 1]);
  END IF;
  RETURN NEXT;
END
$$;

-- Appends of any number of events, whatever happens beside them. The first event of each stream decides who wins, and only
-- winners write the rest: no append is torn, and a loser leaves nothing behind. DO NOTHING must never pass for a success:
-- who won is told by the numbers that were inserted.
CREATE FUNCTION append_events_with_care(
  first_events integer[], event_counts integer[],
  event_appends integer[], event_streams text[], event_versions integer[], ids uuid[], types text[],
  schema_versions smallint[], statuses text[], fencing_tokens integer[], recorded_ats bigint[], datas json[], metadatas json[]
)
RETURNS TABLE (first_positions bigint[], last_positions bigint[])
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
  -- 1: at the stream's tail, 0: the stream is elsewhere, -1: at its tail, but not a legal move.
  verdicts integer[];
  numbers bigint[];
BEGIN
  verdicts := array(
    SELECT CASE WHEN coalesce(tail.version, -1) <> e.version - 1 THEN 0
      WHEN is_legal_move(tail.status, tail.fencing_token, e.status, e.fencing_token, e.version = 0) THEN 1 ELSE -1 END
    FROM unnest(event_appends, event_streams, event_versions, statuses, fencing_tokens) WITH ORDINALITY
      AS e (append, stream, version, status, fencing_token, place)
    LEFT JOIN LATERAL (
      SELECT t.version, t.status, t.fencing_token FROM events t WHERE t.stream = e.stream ORDER BY t.version DESC LIMIT 1
    ) tail ON true
    WHERE e.place = first_events[e.append + 1]
    ORDER BY e.place);
  PERFORM refuse_illegal_appends(verdicts, event_appends, event_streams, event_versions, statuses, fencing_tokens);
  numbers := array(
    SELECT CASE WHEN verdicts[n.append + 1] = 1 THEN nextval('event_position') ELSE 0 END
    FROM unnest(event_appends) WITH ORDINALITY AS n (append, place)
    ORDER BY n.place);

  INSERT INTO events (position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata)
  SELECT n.position, n.stream, n.version, n.id, n.type, n.schema_version, n.status, n.fencing_token,
    timestamptz 'epoch' + n.recorded_at * interval '1 millisecond', n.data, n.metadata
  FROM unnest(numbers, event_appends, event_streams, event_versions, ids, types, schema_versions, statuses, fencing_tokens,
    recorded_ats, datas, metadatas) WITH ORDINALITY
    AS n (position, append, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata, place)
  WHERE n.position > 0 AND n.place = first_events[n.append + 1]
  ORDER BY n.stream COLLATE "C"
  ON CONFLICT (stream, version) DO NOTHING;

  first_positions := array(
    SELECT CASE WHEN EXISTS (SELECT FROM events e WHERE e.position = numbers[a.first_event]) THEN numbers[a.first_event] ELSE 0 END
    FROM unnest(first_events) WITH ORDINALITY AS a (first_event, place)
    ORDER BY a.place);
  last_positions := array(
    SELECT CASE first_positions[a.place] WHEN 0 THEN 0 ELSE numbers[a.first_event + a.events - 1] END
    FROM unnest(first_events, event_counts) WITH ORDINALITY AS a (first_event, events, place)
    ORDER BY a.place);

  INSERT INTO events (position, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata)
  SELECT n.position, n.stream, n.version, n.id, n.type, n.schema_version, n.status, n.fencing_token,
    timestamptz 'epoch' + n.recorded_at * interval '1 millisecond', n.data, n.metadata
  FROM unnest(numbers, event_appends, event_streams, event_versions, ids, types, schema_versions, statuses, fencing_tokens,
    recorded_ats, datas, metadatas) WITH ORDINALITY
    AS n (position, append, stream, version, id, type, schema_version, status, fencing_token, recorded_at, data, metadata, place)
  WHERE first_positions[n.append + 1] > 0 AND n.place <> first_events[n.append + 1]
  ORDER BY n.place;
  RETURN NEXT;
END
$$;

-- Names the first illegal move, if there is one: of an append that stands at its stream's tail and was found to be one
-- (-1), or within one that is to be written (above 0).
CREATE FUNCTION refuse_illegal_appends(
  verdicts bigint[], event_appends integer[], event_streams text[], event_versions integer[], statuses text[],
  fencing_tokens integer[]
)
RETURNS void LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
DECLARE
  illegal record;
BEGIN
  SELECT e.stream, e.version, e.old_status, e.old_token, e.status, e.token INTO illegal
  FROM (
    SELECT n.append, n.stream, n.version, n.status, n.token, lag(n.append) OVER before IS DISTINCT FROM n.append AS is_first,
      lag(n.stream) OVER before AS old_stream, lag(n.version) OVER before AS old_version,
      lag(n.status) OVER before AS old_status, lag(n.token) OVER before AS old_token
    FROM unnest(event_appends, event_streams, event_versions, statuses, fencing_tokens) WITH ORDINALITY
      AS n (append, stream, version, status, token, place)
    WINDOW before AS (ORDER BY n.place)
  ) e
  WHERE verdicts[e.append + 1] > 0 AND NOT e.is_first AND (
    e.stream <> e.old_stream OR e.version <> e.old_version + 1
    OR NOT is_legal_move(e.old_status, e.old_token, e.status, e.token, false))
  LIMIT 1;
  IF NOT FOUND AND -1 = ANY (verdicts) THEN
    SELECT n.stream, n.version, t.status AS old_status, t.fencing_token AS old_token, n.status, n.token INTO illegal
    FROM unnest(event_appends, event_streams, event_versions, statuses, fencing_tokens) WITH ORDINALITY
      AS n (append, stream, version, status, token, place)
    LEFT JOIN LATERAL (
      SELECT p.status, p.fencing_token FROM events p WHERE p.stream = n.stream AND p.version = n.version - 1
    ) t ON true
    WHERE verdicts[n.append + 1] = -1
    ORDER BY n.place LIMIT 1;
  END IF;
  IF FOUND THEN
    PERFORM refuse_move(illegal.stream, illegal.version, illegal.old_status, illegal.old_token, illegal.status, illegal.token);
  END IF;
END
$$;

-- The same for appends that go in together or not at all: one conflict rolls everything back, and the error's detail
-- names the place (from 0) of each append that was in conflict.
CREATE FUNCTION append_events_together(
  first_events integer[], event_counts integer[],
  event_appends integer[], event_streams text[], event_versions integer[], ids uuid[], types text[],
  schema_versions smallint[], statuses text[], fencing_tokens integer[], recorded_ats bigint[], datas json[], metadatas json[]
)
RETURNS TABLE (first_positions bigint[], last_positions bigint[], refused json)
LANGUAGE plpgsql VOLATILE
  SET search_path FROM CURRENT
AS $$
DECLARE
  conflicts text;
BEGIN
  SELECT a.first_positions, a.last_positions, a.refused INTO first_positions, last_positions, refused
  FROM append_events(first_events, event_counts, event_appends, event_streams, event_versions, ids, types, schema_versions, statuses,
      fencing_tokens, recorded_ats, datas, metadatas) a;
  SELECT string_agg(r ->> 'ord', ',') INTO conflicts FROM json_array_elements(refused) r WHERE r ->> 'outcome' = 'conflict';
  IF conflicts IS NOT NULL THEN
    RAISE EXCEPTION 'appends that belong together are in conflict' USING ERRCODE = 'HF001', DETAIL = conflicts;
  END IF;
  RETURN NEXT;
END
$$;

-- What became of an append that was not written. When its ids stand behind the expected version, in order, an earlier
-- call wrote it, and its last position is told again; contents are not compared. Anything else is a conflict.
CREATE FUNCTION judge_refused_append(stream_name text, expected integer, submitted uuid[])
RETURNS TABLE (outcome text, version integer, "position" bigint)
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
    max(e.position) AS position
  INTO stored
  FROM events e
  WHERE e.stream = stream_name AND e.version > expected AND e.version <= expected + cardinality(submitted);
  IF stored.ids = submitted THEN
    RETURN QUERY SELECT 'repeated', stored.version, stored.position;
  ELSE
    RETURN QUERY SELECT 'conflict',
      coalesce((SELECT e.version FROM events e WHERE e.stream = stream_name ORDER BY e.version DESC LIMIT 1), -1),
      NULL::bigint;
  END IF;
END
$$;
