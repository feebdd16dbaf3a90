-- The appends under way, oldest first: whoever announced the lowest floor is the one that readers wait for.
SELECT l.pid, a.application_name, a.state, a.xact_start
FROM pg_locks l
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  AND l.classid::bigint >> 8 = append_lock_space()
ORDER BY l.classid, l.objid
LIMIT 5
