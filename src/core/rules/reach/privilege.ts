import type { FieldPath } from '../../../api/field-path.ts';
import type { Container, PodSpec } from '../../../api/kubernetes.ts';
import type { TemplateView } from '../template-view.ts';
import type { Reaching } from './place.ts';

/**
 * What a pod may not ask for under the Pod Security Standard "baseline"; beyond it lies the node. A pod that says
 * nothing gets no more than this either, so that `allowPrivilegeEscalation: true` and `runAsUser: 0` are as good as
 * absent. Source: k8s.io/pod-security-admission/policy.
 */
const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const SELINUX_TYPES: ReadonlySet<string> = new Set([
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);
const SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);
const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

type SecurityContext = NonNullable<PodSpec['securityContext'] | Container['securityContext']>;

/** What takes the walls between a container and its node away. */
export function reachesPrivilege(view: TemplateView): readonly Reaching[] {
  const { path, spec, template, allContainers } = view;
  const annotations = Object.entries(template.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && value === 'unconfined')
    .map(([key, value]) => found(path.child('metadata', 'annotations').key(key), value, CONFINED));
  return [
    ...annotations,
    ...ofBoth(spec.securityContext, path.child('spec', 'securityContext')),
    ...sysctls(spec.securityContext, path.child('spec', 'securityContext')),
    ...allContainers.flatMap(({ container: { securityContext }, path: at }) => [
      ...ofBoth(securityContext, at.child('securityContext')),
      ...ofContainer(securityContext, at.child('securityContext')),
    ]),
  ];
}

const CONFINED = "must not be unconfined: remove it for the runtime's default";

/** What both the pod's and the container's context have. */
function ofBoth(context: SecurityContext | undefined, at: FieldPath): readonly Reaching[] {
  const { seccompProfile, appArmorProfile, seLinuxOptions: seLinux, windowsOptions } = context ?? {};
  const seLinuxFaults = [
    ...(seLinux?.type && !SELINUX_TYPES.has(seLinux.type) ? (['type'] as const) : []),
    ...(['user', 'role'] as const).filter((field) => seLinux?.[field]),
  ];
  return [
    ...(seccompProfile?.type === 'Unconfined'
      ? [found(at.child('seccompProfile', 'type'), seccompProfile.type, CONFINED)]
      : []),
    ...(appArmorProfile?.type === 'Unconfined'
      ? [found(at.child('appArmorProfile', 'type'), appArmorProfile.type, CONFINED)]
      : []),
    ...seLinuxFaults.map((field) =>
      found(at.child('seLinuxOptions', field), seLinux?.[field], "must be a container's own; remove it"),
    ),
    ...(windowsOptions?.hostProcess === true
      ? [found(at.child('windowsOptions', 'hostProcess'), true, 'runs on the node itself; remove it')]
      : []),
  ];
}

function ofContainer(context: Container['securityContext'], at: FieldPath): readonly Reaching[] {
  const { privileged, procMount, capabilities } = context ?? {};
  return [
    ...(privileged === true
      ? [found(at.child('privileged'), true, 'has all the rights of the node; remove it')]
      : []),
    ...(procMount && procMount !== 'Default'
      ? [found(at.child('procMount'), procMount, "must be 'Default' or absent")]
      : []),
    ...(capabilities?.add ?? []).flatMap((capability, index) =>
      CAPABILITIES.has(capability)
        ? []
        : [
            found(
              at.child('capabilities', 'add').index(index, capability),
              capability,
              `possible are ${[...CAPABILITIES].join(', ')}`,
            ),
          ],
    ),
  ];
}

function sysctls(context: PodSpec['securityContext'], at: FieldPath): readonly Reaching[] {
  return (context?.sysctls ?? []).flatMap(({ name }, index) =>
    SYSCTLS.has(name)
      ? []
      : [
          found(
            at.child('sysctls').index(index, name).child('name'),
            name,
            "is not the pod's alone; remove it",
          ),
        ],
  );
}

function found(path: FieldPath, value: unknown, message: string): Reaching {
  return { path, value, message };
}
