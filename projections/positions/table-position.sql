-- How far all of the named projections have seen the log; null when one of them has seen nothing yet.
SELECT CASE WHEN count(position) = $2 THEN min(position COLLATE "C") END AS position
FROM projections WHERE name = ANY ($1)
