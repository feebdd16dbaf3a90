-- Where projections stand, whether somebody works on them, and how many streams they could not follow.
SELECT asked.name, coalesce(known.generation, 1) AS generation, known.log_id, known.position,
  coalesce(known.owner IS NOT NULL AND known.owned_until > clock_timestamp(), false) AS is_owned,
  (SELECT count(*) FROM parked_streams AS parked WHERE parked.projection = asked.name)::int AS parked_streams
FROM unnest($1::text[]) WITH ORDINALITY AS asked (name, place) LEFT JOIN projections AS known USING (name)
ORDER BY asked.place
