import { isIPv6 } from 'node:net';
import { createApi } from '#api/app';
import type { ReadinessCheck, VersionInfo } from '#api/ports';
import type { Config } from '#runtime/config';
import type { Logger } from '#runtime/logger';
import type { Metrics } from '#runtime/metrics';
import type { Core } from '../compose.ts';
import type { ReadSide } from '../read-side.ts';

export interface ApiRole {
  /** Where it listens, as clients write it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the API. @throws When the port cannot be had. */
export async function startApiRole(
  { core, reads }: { core: Core; reads: ReadSide },
  config: Pick<Config, 'host' | 'port' | 'adminKey' | 'streamPrefix' | 'pollMs'>,
  facts: { logger: Logger; metrics: Metrics; checks: readonly ReadinessCheck[]; version: VersionInfo },
): Promise<ApiRole> {
  const { commands, log, clock } = core;
  const { host, port, adminKey, streamPrefix, pollMs } = config;
  const app = createApi({ commands, log, reads, clock, adminKey, streamPrefix, pollMs, ...facts });
  await app.listen({ host, port });
  const address = app.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`, close: () => app.close() };
}
