import type { Requester } from '../../../src/core/identity/requester.ts';
import type { AdmissionRequest } from '../../../webhooks/review.ts';

const CLUSTER_KIND = { group: 'gateway.dask.org', version: 'v1alpha1', kind: 'DaskCluster' };

export const ADA: Requester = {
  username: 'ada',
  uid: '',
  groups: ['system:authenticated'],
  extra: {},
};

/** The request of a review, as `parseReview` gives it: by default Ada creates the object. */
export function aRequest(change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: CLUSTER_KIND,
    subResource: '',
    operation: 'CREATE',
    namespace: 'team-a',
    name: 'demo',
    requester: ADA,
    dryRun: false,
    object: undefined,
    oldObject: undefined,
    ...change,
  };
}

/** A review as the API server posts it. */
export function aReviewBody(change: Readonly<Record<string, unknown>> = {}): object {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: CLUSTER_KIND,
      resource: { group: 'gateway.dask.org', version: 'v1alpha1', resource: 'daskclusters' },
      requestKind: CLUSTER_KIND,
      name: 'demo',
      namespace: 'team-a',
      operation: 'CREATE',
      userInfo: { username: 'ada', groups: ['system:authenticated'] },
      object: {},
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...change,
    },
  };
}
