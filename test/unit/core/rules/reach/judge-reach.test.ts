import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../../../src/api/dask-cluster.ts';
import type { Container, PodSpec, Volume } from '../../../../../src/api/kubernetes.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../../src/core/policy/policy.ts';
import { judgeReach } from '../../../../../src/core/rules/reach/judge-reach.ts';
import { aCluster, IMAGE, withPodSpec } from '../../../../support/builders.ts';
import { aGatewayCluster } from '../../../../support/gateway-cluster.ts';

const reaching = (cluster: DaskCluster, policy: Policy = DEFAULT_POLICY): string[] =>
  judgeReach(cluster, policy).map(({ path }) => path.toString());

const withReach = (reach: Partial<Policy['reach']>): Policy => ({
  ...DEFAULT_POLICY,
  reach: { ...DEFAULT_POLICY.reach, ...reach },
});

const dask: Container = { name: 'dask-worker', image: IMAGE };
const sidecar = (change: Partial<Container>): Partial<PodSpec> => ({
  containers: [dask, { name: 'proxy', image: IMAGE, ...change }],
});
const volume = (source: object): Partial<PodSpec> => ({ volumes: [{ name: 'v', ...source }] });

const secretKeyRef = { name: 'db', key: 'password' };

const REACHING: readonly [string, Partial<PodSpec>][] = [
  ['serviceAccountName', { serviceAccountName: 'admin' }],
  ['serviceAccount', { serviceAccount: 'admin' }],
  ['volumes[0].secret.secretName', volume({ secret: { secretName: 'db' } })],
  [
    'volumes[0].projected.sources[0].secret.name',
    volume({ projected: { sources: [{ secret: { name: 'db' } }] } }),
  ],
  [
    'containers[1].env[0].valueFrom.secretKeyRef.name',
    sidecar({ env: [{ name: 'A', valueFrom: { secretKeyRef } }] }),
  ],
  ['containers[1].envFrom[0].secretRef.name', sidecar({ envFrom: [{ secretRef: { name: 'db' } }] })],
  [
    'ephemeralContainers[0].envFrom[0].secretRef.name',
    { ephemeralContainers: [{ name: 'debug', envFrom: [{ secretRef: { name: 'db' } }] }] },
  ],
  ['volumes[0].hostPath', volume({ hostPath: { path: '/' } })],
  ['volumes[0].csi', volume({ csi: { driver: 'secrets-store.csi.k8s.io' } })],
  ['volumes[0].nfs', volume({ nfs: { server: 's', path: '/' } })],
  ['volumes[0].newer', volume({ newer: {} })],
  ['volumes[0].projected.sources[0].newer', volume({ projected: { sources: [{ newer: {} }] } })],
  ['hostNetwork', { hostNetwork: true }],
  ['hostPID', { hostPID: true }],
  ['hostIPC', { hostIPC: true }],
  ['nodeName', { nodeName: 'control-1' }],
  ['priorityClassName', { priorityClassName: 'system-node-critical' }],
  ['tolerations[0].key', { tolerations: [{ key: 'node-role.kubernetes.io/control-plane' }] }],
  ['tolerations[0].key', { tolerations: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] }],
  ['tolerations[0].key', { tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }] }],
  ['tolerations[1]', { tolerations: [{ key: 'gpu' }, { operator: 'Exists' }] }],
  ['tolerations[0]', { tolerations: [{ key: '', operator: 'Exists', effect: 'NoSchedule' }] }],
  ['containers[1].ports[0].hostPort', sidecar({ ports: [{ containerPort: 80, hostPort: 80 }] })],
  [
    'initContainers[0].securityContext.privileged',
    { initContainers: [{ name: 'i', securityContext: { privileged: true } }] },
  ],
  ['containers[1].securityContext.privileged', sidecar({ securityContext: { privileged: true } })],
  ['containers[1].securityContext.procMount', sidecar({ securityContext: { procMount: 'Unmasked' } })],
  [
    'containers[1].securityContext.capabilities.add[1]',
    sidecar({ securityContext: { capabilities: { add: ['CHOWN', 'SYS_ADMIN'], drop: ['ALL'] } } }),
  ],
  [
    'containers[1].securityContext.seccompProfile.type',
    sidecar({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
  ],
  ['securityContext.seccompProfile.type', { securityContext: { seccompProfile: { type: 'Unconfined' } } }],
  ['securityContext.appArmorProfile.type', { securityContext: { appArmorProfile: { type: 'Unconfined' } } }],
  ['securityContext.seLinuxOptions.type', { securityContext: { seLinuxOptions: { type: 'spc_t' } } }],
  ['securityContext.seLinuxOptions.user', { securityContext: { seLinuxOptions: { user: 'root' } } }],
  ['securityContext.seLinuxOptions.role', { securityContext: { seLinuxOptions: { role: 'sysadm_r' } } }],
  [
    'securityContext.windowsOptions.hostProcess',
    { securityContext: { windowsOptions: { hostProcess: true } } },
  ],
  [
    'securityContext.sysctls[0].name',
    { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
  ],
  [
    'containers[1].livenessProbe.httpGet.host',
    sidecar({ livenessProbe: { httpGet: { host: '127.0.0.1', port: 10250 } } }),
  ],
  [
    'containers[1].readinessProbe.tcpSocket.host',
    sidecar({ readinessProbe: { tcpSocket: { host: 'db', port: 1 } } }),
  ],
  [
    'containers[1].startupProbe.httpGet.host',
    sidecar({ startupProbe: { httpGet: { host: 'db', port: 1 } } }),
  ],
  [
    'containers[1].lifecycle.postStart.httpGet.host',
    sidecar({ lifecycle: { postStart: { httpGet: { host: 'db', port: 1 } } } }),
  ],
  [
    'containers[1].lifecycle.preStop.tcpSocket.host',
    sidecar({ lifecycle: { preStop: { tcpSocket: { host: 'db', port: 1 } } } }),
  ],
];

const HARMLESS: readonly [string, Partial<PodSpec>][] = [
  ['an account that is allowed', { serviceAccountName: 'default', serviceAccount: 'ignored' }],
  ['an empty account', { serviceAccountName: '', serviceAccount: '' }],
  ["the cluster's own credentials", volume({ secret: { secretName: 'dask-credentials-demo' } })],
  ['Secrets to pull images with', { imagePullSecrets: [{ name: 'registry' }] }],
  ['what is not shared', { hostNetwork: false, hostPID: false, hostIPC: false, hostUsers: false }],
  ['user namespaces off, as by default', { hostUsers: true }],
  ['another priority class', { priorityClassName: 'batch' }],
  ['a toleration with a key', { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] }],
  ['a port of the pod', sidecar({ ports: [{ containerPort: 80, hostPort: 0 }] })],
  [
    'what is so by default',
    sidecar({
      securityContext: {
        allowPrivilegeEscalation: true,
        privileged: false,
        runAsUser: 0,
        procMount: 'Default',
      },
    }),
  ],
  [
    'rights that runtimes give anyway',
    sidecar({ securityContext: { capabilities: { add: ['NET_BIND_SERVICE'] } } }),
  ],
  [
    'profiles',
    {
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        appArmorProfile: { type: 'RuntimeDefault' },
      },
    },
  ],
  [
    'an SELinux type of containers',
    { securityContext: { seLinuxOptions: { type: 'container_t', level: 's0' } } },
  ],
  ['safe sysctls', { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } }],
  ['a probe of the pod', sidecar({ livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { exec: {} } })],
];

const OWN_VOLUMES: readonly Volume[] = [
  { name: 'a', emptyDir: {} },
  { name: 'b', configMap: { name: 'c' } },
  { name: 'c', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'd', downwardAPI: {} },
  { name: 'e', ephemeral: {} },
  { name: 'f', image: { reference: IMAGE } },
  { name: 'g', projected: { sources: [{ configMap: {} }, { serviceAccountToken: { path: 't' } }] } },
];

describe('judgeReach', () => {
  it.each(REACHING)('refuses %s', (path, spec) => {
    const findings = judgeReach(withPodSpec('worker', spec), DEFAULT_POLICY);
    expect(findings.map((finding) => finding.path.toString())).toEqual([`spec.worker.template.spec.${path}`]);
    expect(findings[0]).toMatchObject({ rule: 'reach', level: 'error', reason: 'FieldValueForbidden' });
  });

  it.each(HARMLESS)('allows %s', (_what, spec) => {
    expect(reaching(withPodSpec('scheduler', spec))).toEqual([]);
  });

  it('allows volumes that are the own ones of a pod or of its namespace', () => {
    expect(reaching(withPodSpec('worker', { volumes: [...OWN_VOLUMES] }))).toEqual([]);
    expect(reaching(aCluster())).toEqual([]);
  });

  it('refuses to run unconfined by an annotation of older Kubernetes', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/dask-worker';
    const annotated = (value: string): DaskCluster => {
      const template = { metadata: { annotations: { [key]: value, other: 'unconfined' } } };
      return aCluster({ spec: { worker: { template } } });
    };
    expect(reaching(annotated('unconfined'))).toEqual([`spec.worker.template.metadata.annotations[${key}]`]);
    expect(reaching(annotated('runtime/default'))).toEqual([]);
  });

  it('goes by the lists of the configuration', () => {
    const secret = withPodSpec('worker', volume({ secret: { secretName: 'data-db' } }));
    expect(reaching(secret, withReach({ secrets: ['data-*'] }))).toEqual([]);
    expect(judgeReach(secret, withReach({ secrets: ['other'] }))[0]?.message).toContain('possible: other');
    expect(judgeReach(secret, DEFAULT_POLICY)[0]?.message).toContain('none but its own credentials');
    const account = withPodSpec('worker', { serviceAccountName: 'dask' });
    expect(reaching(account, withReach({ serviceAccounts: ['default', 'dask'] }))).toEqual([]);
    expect(reaching(account, withReach({ serviceAccounts: ['dask'] }))).toEqual([
      'spec.scheduler.template.spec.serviceAccountName',
    ]);
    expect(judgeReach(account, withReach({ serviceAccounts: [] }))[0]?.message).toContain('possible: none');
  });

  it('leaves the credentials of clusters to the rule that refuses them to everybody', () => {
    const { spec } = withPodSpec('worker', volume({ secret: { secretName: 'dask-credentials-' } }));
    expect(reaching({ metadata: { generateName: 'demo-' }, spec })).toEqual([]);
  });

  it('lets an update keep what it reached, while the whole template stays', () => {
    const hostPath = volume({ hostPath: { path: '/data' } });
    const old = withPodSpec('worker', hostPath);
    const stopped = { ...old, spec: { ...old.spec, active: false } };
    expect(judgeReach(stopped, DEFAULT_POLICY, old)).toMatchObject([{ level: 'warning', stored: true }]);
    const other = withPodSpec('worker', { ...hostPath, containers: [{ ...dask, image: 'evil:1' }] });
    expect(judgeReach(other, DEFAULT_POLICY, old)).toMatchObject([{ level: 'error' }]);
    const moved = withPodSpec('scheduler', { ...hostPath, containers: [dask] });
    expect(judgeReach(moved, DEFAULT_POLICY, old)).toMatchObject([{ level: 'error' }]);
  });

  it('sees what dask-gateway is told to add to pods and containers', () => {
    const cluster = aGatewayCluster({
      scheduler_extra_pod_config: { hostNetwork: true, tolerations: [{ operator: 'Exists' }] },
      worker_extra_pod_config: {
        serviceAccountName: 'admin',
        volumes: [{ name: 'v', hostPath: { path: '/' } }],
      },
      worker_extra_container_config: { securityContext: { privileged: true } },
    });
    expect(reaching(cluster).sort()).toEqual([
      'spec.config.scheduler_extra_pod_config.hostNetwork',
      'spec.config.scheduler_extra_pod_config.tolerations[0]',
      'spec.config.worker_extra_container_config.securityContext.privileged',
      'spec.config.worker_extra_pod_config.serviceAccountName',
      'spec.config.worker_extra_pod_config.volumes[0].hostPath',
    ]);
    expect(reaching(aGatewayCluster())).toEqual([]);
  });
});
