import type { ApiContext } from '../context.ts';
import type { App } from '../http/app-type.ts';
import { explainRoute } from './explain.ts';
import { feedRoute } from './feed.ts';
import { getJobRoute } from './get-job.ts';
import { acknowledgeRoute, cancelRoute, replayRoute, rescheduleRoute } from './job-commands.ts';
import { jobEventsRoute } from './job-events.ts';
import { leasesRoute } from './leases.ts';
import { listJobsRoute } from './list-jobs.ts';
import { listRoutes, queueRoute } from './lists.ts';
import { outcomesRoute } from './outcomes.ts';
import { completeRoute, failRoute, heartbeatRoute, releaseRoute } from './reports.ts';
import { servedTypes } from './served.ts';
import { submitRoute } from './submit.ts';
import { submitBulkRoute } from './submit-bulk.ts';

/** Every route of the API. */
export function v1Routes(app: App, context: ApiContext): void {
  const areServed = servedTypes(context);
  submitRoute(app, context, areServed);
  submitBulkRoute(app, context, areServed);
  for (const route of [
    ...[getJobRoute, listJobsRoute, jobEventsRoute, explainRoute],
    ...[cancelRoute, replayRoute, rescheduleRoute, acknowledgeRoute],
    ...[leasesRoute, heartbeatRoute, completeRoute, failRoute, releaseRoute, outcomesRoute],
    ...[listRoutes, queueRoute, feedRoute],
  ]) {
    route(app, context);
  }
}
