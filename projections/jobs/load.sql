-- The state of jobs that a batch goes on with.
SELECT id, version, state_format, state FROM jobs WHERE id = ANY ($1::uuid[])
