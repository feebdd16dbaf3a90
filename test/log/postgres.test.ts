import { logContract } from './contract.ts';
import { openTestLog } from './postgres-log.ts';

logContract('postgres', openTestLog);
