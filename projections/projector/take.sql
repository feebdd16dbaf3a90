-- Takes a projection over: it is new, was handed back, its holder's time is up, or the holder runs older code. Answers no
-- row when it must be left to another. The database's clock alone measures the lease.
INSERT INTO projections AS known (name, schema_version, log_id, epoch, owner, owned_until)
VALUES ($1, $2, $3, 1, $4, clock_timestamp() + $5 * interval '1 millisecond')
ON CONFLICT (name) DO UPDATE SET
  schema_version = excluded.schema_version,
  epoch = known.epoch + 1,
  owner = excluded.owner,
  owned_until = excluded.owned_until
WHERE known.log_id = excluded.log_id
  AND known.schema_version <= excluded.schema_version
  AND (known.owner IS NULL OR known.owner = excluded.owner OR known.owned_until <= clock_timestamp()
    OR known.schema_version < excluded.schema_version)
RETURNING epoch, position
