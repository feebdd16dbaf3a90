import type { ApiOptions } from '#api/app';
import { createOps } from '#api/ops';
import type { Logger } from '#runtime/logger';

/**
 * Serves health and metrics of a process that has no API. Several workers on one machine may be given the same port: who
 * comes late goes without, since watching a worker is no reason to keep it from working.
 */
export async function startOpsServer(
  options: Pick<ApiOptions, 'checks' | 'metrics' | 'version'>,
  { host, port, logger }: { readonly host: string; readonly port: number; readonly logger: Logger },
): Promise<{ close(): Promise<void> }> {
  const app = createOps(options);
  try {
    await app.listen({ host, port });
  } catch (error) {
    logger.warn({ err: error, port }, 'health and metrics are not served: the port cannot be had');
  }
  return { close: () => app.close() };
}
