import type { Refusal } from '../../../../src/core/pod-verdict/findings-of-refusal.ts';
import type { PodVerdict } from '../../../../src/core/pod-verdict/verdict.ts';

/** What the API server (1.36.3) and podcheck said of the same pod; neither is written by hand. */
export interface Recorded {
  readonly podSpec: object;
  readonly level: 'privileged' | 'restricted';
  readonly refusal: Refusal;
  readonly verdict: PodVerdict;
}

const POD = 'dask-worker-demo-00000000-0';
const IMAGE = 'registry.example.org/dask:2026.3';
const ENV =
  'Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'';
const NODE =
  "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const FAULTS = [
  { field: 'spec.containers[0].env[0].name', reason: 'FieldValueInvalid', message: ENV },
  {
    field: 'spec.containers[0].volumeMounts[0].name',
    reason: 'FieldValueNotFound',
    message: 'Not found: "lost"',
  },
  {
    field: 'spec.containers[0].volumeMounts[1].name',
    reason: 'FieldValueNotFound',
    message: 'Not found: "lost"',
  },
  {
    field: 'spec.containers[0].volumeMounts[1].mountPath',
    reason: 'FieldValueInvalid',
    message: 'Invalid value: "/lost": must be unique',
  },
  { field: 'spec.nodeSelector', reason: 'FieldValueInvalid', message: NODE },
];

export const INVALID: Recorded = {
  podSpec: {
    nodeSelector: { 'a b': 'c' },
    containers: [
      {
        name: 'dask-worker',
        image: IMAGE,
        env: [{ name: 'A=B', value: 'x' }],
        volumeMounts: [
          { name: 'lost', mountPath: '/lost' },
          { name: 'lost', mountPath: '/lost' },
        ],
      },
    ],
  },
  level: 'privileged',
  refusal: {
    message: `Pod "${POD}" is invalid: [spec.containers[0].env[0].name: ${ENV}, spec.containers[0].volumeMounts[0].name: Not found: "lost", spec.containers[0].volumeMounts[1].name: Not found: "lost", spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/lost": must be unique, spec.nodeSelector: ${NODE}]`,
    reason: 'Invalid',
    details: { name: POD, kind: 'Pod', causes: FAULTS },
  },
  verdict: { errors: FAULTS },
};

export const INSECURE: Recorded = {
  podSpec: { hostNetwork: true, hostPID: true, volumes: [{ name: 'host', hostPath: { path: '/' } }] },
  level: 'restricted',
  refusal: {
    message: `pods "${POD}" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true, hostPID=true), allowPrivilegeEscalation != false (container "dask-worker" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "dask-worker" must set securityContext.capabilities.drop=["ALL"]), restricted volume types (volume "host" uses restricted volume type "hostPath"), runAsNonRoot != true (pod or container "dask-worker" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "dask-worker" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
    reason: 'Forbidden',
    details: { name: POD, kind: 'pods' },
  },
  verdict: {
    podSecurity: [
      { reason: 'host namespaces', message: 'hostNetwork=true, hostPID=true' },
      {
        reason: 'allowPrivilegeEscalation != false',
        message: 'container "dask-worker" must set securityContext.allowPrivilegeEscalation=false',
      },
      {
        reason: 'unrestricted capabilities',
        message: 'container "dask-worker" must set securityContext.capabilities.drop=["ALL"]',
      },
      {
        reason: 'restricted volume types',
        message: 'volume "host" uses restricted volume type "hostPath"',
      },
      {
        reason: 'runAsNonRoot != true',
        message: 'pod or container "dask-worker" must set securityContext.runAsNonRoot=true',
      },
      {
        reason: 'seccompProfile',
        message:
          'pod or container "dask-worker" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
      },
    ],
  },
};

/** Here podcheck finds the place, and goes on; the API server does neither. */
export const UNDECODED: Refusal = {
  message:
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32',
  reason: 'BadRequest',
};
