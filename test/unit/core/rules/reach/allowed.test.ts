import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../../../src/api/kubernetes.ts';
import { DEFAULT_POLICY } from '../../../../../src/core/policy/policy.ts';
import { judgeReach } from '../../../../../src/core/rules/reach/judge-reach.ts';
import { IMAGE, withDaskContainer, withPodSpec } from '../../../../support/builders.ts';

/** What the Pod Security Standard "baseline" allows, as Kubernetes 1.34 has it. */
const CAPABILITIES = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];
const SELINUX_TYPES = ['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  ...['ip_local_port_range', 'ip_unprivileged_port_start', 'tcp_syncookies', 'ping_group_range'],
  ...['ip_local_reserved_ports', 'tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl'],
  ...['tcp_keepalive_probes', 'tcp_rmem', 'tcp_wmem'],
].map((name) => (name.includes('.') ? name : `net.ipv4.${name}`));
const SOURCES = ['clusterTrustBundle', 'configMap', 'downwardAPI', 'podCertificate', 'serviceAccountToken'];

function messages(spec: Partial<PodSpec>): readonly string[] {
  return judgeReach(withPodSpec('worker', spec), DEFAULT_POLICY).map(({ message }) => message);
}

function ofDask(securityContext: NonNullable<Container['securityContext']>): readonly string[] {
  const cluster = withDaskContainer('worker', { securityContext });
  return judgeReach(cluster, DEFAULT_POLICY).map(({ message }) => message);
}

describe('what every pod may have', () => {
  it.each(CAPABILITIES)('is the capability %s', (capability) => {
    expect(ofDask({ capabilities: { add: [capability] } })).toEqual([]);
  });

  it.each(SELINUX_TYPES)('is the SELinux type %s', (type) => {
    expect(messages({ securityContext: { seLinuxOptions: { type } } })).toEqual([]);
  });

  it.each(SYSCTLS)('is the sysctl %s', (name) => {
    expect(messages({ securityContext: { sysctls: [{ name, value: '1' }] } })).toEqual([]);
  });

  it.each(SOURCES)('is a projected %s', (source) => {
    expect(messages({ volumes: [{ name: 'v', projected: { sources: [{ [source]: {} }] } }] })).toEqual([]);
  });

  it('is a field that is there without a value', () => {
    expect(messages({ volumes: [{ name: 'v', hostPath: undefined } as never] })).toEqual([]);
    expect(messages({ securityContext: { seLinuxOptions: {} } })).toEqual([]);
  });
});

describe('what no pod may tolerate', () => {
  it.each([
    ...['control-plane', 'controlplane', 'master', 'etcd'].map((role) => `node-role.kubernetes.io/${role}`),
    'CriticalAddonsOnly',
  ])('is the taint %s', (key) => {
    expect(messages({ tolerations: [{ key, operator: 'Exists' }] })).toEqual([
      expect.stringContaining('tolerates the taint of control plane nodes; remove it'),
    ]);
  });
});

describe('a finding says what is possible', () => {
  it.each<[string, Partial<PodSpec>]>([
    ["pods may not share the node's namespaces; remove it", { hostIPC: true }],
    ['use nodeSelector or affinity', { nodeName: 'n' }],
    ["priority classes that start with 'system-' are for Kubernetes", { priorityClassName: 'system-x' }],
    ['tolerates every taint; name a key', { tolerations: [{ operator: 'Exists' }] }],
    ["must be a container's own; remove it", { securityContext: { seLinuxOptions: { user: 'u' } } }],
    ['runs on the node itself; remove it', { securityContext: { windowsOptions: { hostProcess: true } } }],
    ["is not the pod's alone; remove it", { securityContext: { sysctls: [{ name: 'a', value: '1' }] } }],
    [
      "must not be unconfined: remove it for the runtime's default",
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    ],
    [
      'use a persistentVolumeClaim, configMap or emptyDir',
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    ],
    ['use a configMap', { volumes: [{ name: 'v', projected: { sources: [{ newer: {} } as never] } }] }],
  ])('%s', (says, spec) => {
    expect(messages(spec)).toEqual([expect.stringContaining(says)]);
  });

  it.each<[string, NonNullable<Container['securityContext']>]>([
    [`possible are ${CAPABILITIES.join(', ')}`, { capabilities: { add: ['SYS_ADMIN'] } }],
    ["must be 'Default' or absent", { procMount: 'Unmasked' }],
    ['has all the rights of the node; remove it', { privileged: true }],
  ])('of a container: %s', (says, context) => {
    expect(ofDask(context)).toEqual([expect.stringContaining(says)]);
  });

  it('of a port of the node and of a probe', () => {
    const sidecar: Container = {
      name: 'proxy',
      image: IMAGE,
      ports: [{ containerPort: 1, hostPort: 1 }],
      livenessProbe: { httpGet: { host: 'x', port: 1 } },
    };
    expect(messages({ containers: [{ name: 'dask-worker', image: IMAGE }, sidecar] })).toEqual([
      expect.stringContaining("the cluster's Service leads to the scheduler"),
      expect.stringContaining('the pod itself is'),
    ]);
  });

  it('names every account and every Secret that is allowed', () => {
    const reach = { serviceAccounts: ['one', 'two'], secrets: ['three', 'four-*'] };
    const spec = { serviceAccountName: 'other', volumes: [{ name: 'v', secret: { secretName: 'db' } }] };
    const told = judgeReach(withPodSpec('worker', spec), { ...DEFAULT_POLICY, reach });
    const ofWorker = told.filter(({ path }) => path.toString().startsWith('spec.worker'));
    expect(ofWorker.map(({ message }) => message)).toEqual([
      expect.stringContaining('possible: one, two'),
      expect.stringContaining('possible: three, four-*'),
    ]);
  });
});
