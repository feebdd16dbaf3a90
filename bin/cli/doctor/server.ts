import { describeFailure } from '../failures.ts';
import type { Session } from '../session.ts';
import { type Finding, failed, fine } from './check.ts';

/** The server that commands speak to, and whether it takes our key. */
export async function checkServer({ client, url }: Session): Promise<Finding[]> {
  try {
    const { version, log } = await client.version();
    const reachable = fine('server', `${url} runs holdfast ${version} on the ${log} log`);
    return [reachable, await checkReadiness(client), await checkKey(client)];
  } catch (error) {
    return [failed('server', describeFailure(error).lines[0] ?? '', 'Start it with: npm start. Or set HOLDFAST_URL')];
  }
}

async function checkReadiness(client: Session['client']): Promise<Finding> {
  const { status, checks = [] } = await client.readiness();
  const broken = checks.filter((check) => !check.ok).map((check) => `${check.name}: ${check.detail ?? 'not ready'}`);
  if (broken.length === 0) return fine('readiness', `${status}: ${checks.map((check) => check.name).join(', ')}`);
  return failed('readiness', broken.join('; '), "The server's log says more");
}

async function checkKey(client: Session['client']): Promise<Finding> {
  try {
    await client.listJobs({ limit: 1 });
    return fine('key', 'the server answers to us');
  } catch (error) {
    return failed('key', describeFailure(error).lines[0] ?? '', 'Set HOLDFAST_API_KEY, or give --api-key');
  }
}
