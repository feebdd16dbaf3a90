import { NotSupportedByLog, TooContended } from '#commands/errors';
import { isUnfoldable } from '#domain/history';
import { InvalidRequest } from '#domain/json/problems';
import { BadCursor } from '#projections/jobs/list-queries';
import { isConnectionError } from '#runtime/postgres/pool';
import { ApiProblem, invalidRequest, wrongCount } from './problem.ts';

const RETRY_SOON = { 'Retry-After': '1' };

/** The database gave up on a statement, or has no room for it at the moment. */
const OVERLOAD_CODES = new Set(['57014', '55P03', '40001', '40P01', '53200', '53100']);

/**
 * What an error means to the client. Whatever is not known here is a bug of ours: the caller logs it, and the client
 * learns nothing of it but the request id.
 */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof InvalidRequest) return refusedFields(error);
  if (error instanceof BadCursor) {
    return invalidRequest([
      { parameter: 'cursor', detail: 'must be a cursor of a list with the same filters and sort' },
    ]);
  }
  if (!(error instanceof Error)) return internalProblem();
  if (error instanceof NotSupportedByLog) return new ApiProblem('not-supported-by-log', error.message);
  return unavailableProblem(error) ?? frameworkProblem(error) ?? internalProblem();
}

function refusedFields({ code, problems }: InvalidRequest): ApiProblem {
  return new ApiProblem(code, wrongCount(problems.length), { errors: problems });
}

function internalProblem(): ApiProblem {
  return new ApiProblem('internal', 'An unexpected error. It was logged under the request id.');
}

/** Answered by the same call a little later. The log's own errors are known by their names, since this folder does not know the log. */
function unavailableProblem(error: Error): ApiProblem | undefined {
  if (error.name === 'LogUnavailable' || isConnectionError(error) || OVERLOAD_CODES.has(codeOf(error))) {
    return unavailable('The database did not answer in time. The outcome of a write is unknown: repeat it.');
  }
  if (error instanceof TooContended) return unavailable(error.message);
  if (!isUnfoldable(error)) return undefined;
  return unavailable(`This version of the server cannot read the job's history: ${error.message}.`);
}

export function unavailable(detail: string): ApiProblem {
  return new ApiProblem('unavailable', detail, { headers: RETRY_SOON });
}

/** Refusals of Fastify itself, before a route has seen the request. */
function frameworkProblem(error: Error): ApiProblem | undefined {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiProblem('payload-too-large', 'The body is larger than this route takes.', {
        errors: [{ pointer: '', detail: 'is too large' }],
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_TYPE':
      return new ApiProblem('unsupported-media-type', 'Bodies are JSON: send Content-Type: application/json.', {
        errors: [{ header: 'Content-Type', detail: 'must be application/json' }],
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest([{ header: 'Content-Length', detail: 'must be the length of the body' }]);
    case 'FST_ERR_BAD_URL':
      return new ApiProblem('invalid-request', 'The path is not valid percent-encoded UTF-8.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiProblem('not-found', 'Nothing has so long a name.');
    default:
      return undefined;
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
