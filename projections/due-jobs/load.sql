-- The state of pending and running jobs that a batch goes on with.
SELECT job_id, version, entered_position, state_format, state FROM due_jobs WHERE job_id = ANY ($1::uuid[])
