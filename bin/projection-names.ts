/** The projections of this version, by the names that the API and the command line use. */
export const PROJECTION_NAMES = ['jobs', 'workers', 'due_jobs'] as const;
export type ProjectionName = (typeof PROJECTION_NAMES)[number];
