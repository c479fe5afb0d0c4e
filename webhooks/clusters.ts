import { FieldPath } from '../src/api/field-path.ts';
import { DASK_CLUSTER_KIND, GATEWAY_GROUP } from '../src/api/names.ts';
import { invalid } from '../src/core/findings.ts';
import { judge, type Verdict } from '../src/core/judge.ts';
import { isObject, type JsonObject } from '../src/core/structure/json.ts';
import { nullRemovals } from '../src/core/structure/null-removals.ts';
import { allow, type Decision, deny } from './decision.ts';
import { type AdmissionRequest, BadRequest } from './review.ts';

/** Judges a DaskCluster or its `/scale`. The same verdict for a dry run: nothing here has an effect. */
export function validateCluster(request: AdmissionRequest): Decision {
  return decide(request, () => []);
}

/**
 * Judges first, so that all faults of an object are told at once, before the API server's schema check stops at its
 * own. What passes loses the nulls that a server-side apply would stumble over, and is otherwise left as written.
 */
export function mutateCluster(request: AdmissionRequest): Decision {
  return decide(request, nullRemovals);
}

function decide(
  request: AdmissionRequest,
  patchOf: (object: JsonObject) => ReturnType<typeof nullRemovals>,
): Decision {
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allow();
  if (request.subResource === 'scale') return decideScale(request);
  requireCluster(request);
  if (request.object === undefined) throw new BadRequest('request.object must be a DaskCluster');
  // The end of an object must never depend on its being valid. Only the old object knows for sure that it is ending.
  if (isBeingDeleted(request.oldObject)) return allow();
  const verdict: Verdict = judge({
    object: request.object,
    ...(request.oldObject && { oldObject: request.oldObject }),
  });
  return verdict.denied
    ? deny('Invalid', verdict.findings)
    : allow(verdict.findings, patchOf(request.object));
}

function decideScale(request: AdmissionRequest): Decision {
  const spec = request.object?.['spec'];
  const replicas = isObject(spec) ? spec['replicas'] : undefined;
  if (typeof replicas !== 'number' || replicas >= 0) return allow();
  const finding = invalid({
    rule: 'scale',
    path: FieldPath.of('spec', 'replicas'),
    value: replicas,
    message: 'must be greater than or equal to 0',
  });
  return deny('Invalid', [finding]);
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
