import { MemoryLog } from '#log/memory/store';
import { logContract } from './contract.ts';

logContract('memory', async () => {
  const log = new MemoryLog();
  return { log, drop: () => log.close() };
});
