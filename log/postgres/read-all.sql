-- A page of the log behind a number. The first row is no event: it tells the last number given out, and, behind the columns
-- of an event, the bound.
SELECT * FROM read_events($1, $2)
