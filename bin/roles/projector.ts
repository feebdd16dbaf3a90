import { hostname } from 'node:os';
import { jobsProjection } from '#projections/jobs/projection';
import { type Projector, startProjector } from '#projections/projector/projector';
import { workersProjection } from '#projections/workers/projection';
import type { Logger } from '#runtime/logger';
import type { Core } from '../compose.ts';
import type { ReadSide } from '../read-side.ts';

/** Offers this process as projector of every read table that is not written with the append. */
export function startProjectorRole(
  { core, reads }: { core: Core; reads: ReadSide },
  streamPrefix: string,
  logger: Logger,
): Projector {
  return startProjector({
    log: core.log,
    pool: core.tables,
    projections: [jobsProjection({ streamPrefix }), workersProjection({ streamPrefix })],
    ownerId: `${hostname()}/${process.pid}`,
    progress: reads.progress,
    logger,
  });
}
