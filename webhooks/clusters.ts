import { DASK_CLUSTER_KIND, GATEWAY_GROUP } from '../src/api/names.ts';
import { correlationId } from '../src/core/correlation.ts';
import { requestedByPatch } from '../src/core/identity/requested-by.ts';
import type { JsonPatchOperation } from '../src/core/json-patch.ts';
import { isObject, type JsonObject } from '../src/core/structure/json.ts';
import { nullRemovals } from '../src/core/structure/null-removals.ts';
import type { AdmissionContext } from './admission-context.ts';
import { judgeClusterReview } from './cluster-review.ts';
import { allow, type Decision } from './decision.ts';
import { type AdmissionRequest, BadRequest } from './review.ts';
import { judgeScaleReview } from './scale-review.ts';

export interface ClusterHandlers {
  /** Judges a DaskCluster or its `/scale`. The same verdict for a dry run: nothing here has an effect. */
  readonly validate: (request: AdmissionRequest) => Promise<Decision>;
  /**
   * Judges first, so that all faults of an object are told at once, before the API server's schema check stops at its
   * own. What passes gets the name of its requester, loses the nulls that a server-side apply would stumble over, and
   * is otherwise left as written.
   */
  readonly mutate: (request: AdmissionRequest) => Promise<Decision>;
}

export function clusterHandlers(context: AdmissionContext): ClusterHandlers {
  return {
    validate: async (request) => told(await decide(request, context, true), request.object),
    mutate: async (request) => {
      const decision = await decide(request, context, false);
      return decision.allowed ? { ...decision, patch: patchOf(request) } : decision;
    },
  };
}

function patchOf(request: AdmissionRequest): readonly JsonPatchOperation[] {
  const { object, oldObject, requester, subResource } = request;
  if (object === undefined || subResource !== '' || isBeingDeleted(oldObject)) return [];
  return [...nullRemovals(object), ...requestedByPatch(object, oldObject, requester.username)];
}

/** @param isFinal whether what is allowed now will be stored */
async function decide(
  request: AdmissionRequest,
  context: AdmissionContext,
  isFinal: boolean,
): Promise<Decision> {
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allow();
  if (request.subResource === 'scale') return judgeScaleReview(request, context, { isFinal });
  requireCluster(request);
  const { object } = request;
  if (object === undefined) throw new BadRequest('request.object must be a DaskCluster');
  // The end of an object must never depend on its being valid. Only the old object knows for sure that it is ending.
  if (isBeingDeleted(request.oldObject)) return allow();
  return judgeClusterReview({ ...request, object }, context, { isFinal });
}

/** The validating half alone sees what will be stored: uid and generation are final. */
function told(decision: Decision, object: JsonObject | undefined): Decision {
  const correlation = correlationId(object);
  return correlation === undefined ? decision : { ...decision, correlation };
}

function requireCluster({ kind, subResource }: AdmissionRequest): void {
  if (kind.group !== GATEWAY_GROUP || kind.kind !== DASK_CLUSTER_KIND) {
    throw new BadRequest(
      `request.kind: this path judges ${DASK_CLUSTER_KIND}.${GATEWAY_GROUP}, not ${kind.kind}.${kind.group}`,
    );
  }
  if (subResource !== '') {
    throw new BadRequest(`request.subResource: this path judges the object and /scale, not /${subResource}`);
  }
}

function isBeingDeleted(object: JsonObject | undefined): boolean {
  const metadata = object?.['metadata'];
  return isObject(metadata) && typeof metadata['deletionTimestamp'] === 'string';
}
