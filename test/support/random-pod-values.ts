import fc, { type Arbitrary } from 'fast-check';

/** Types of which a value has exactly one field beside the listed ones. */
export const EXACTLY_ONE: Readonly<Record<string, readonly string[]>> = {
  DownwardAPIVolumeFile: ['path', 'mode'],
  EnvFromSource: ['prefix'],
  EnvVarSource: [],
  FlockerVolumeSource: [],
  LifecycleHandler: [],
  PodResourceClaim: ['name'],
  Probe: [
    'failureThreshold',
    'initialDelaySeconds',
    'periodSeconds',
    'successThreshold',
    'terminationGracePeriodSeconds',
    'timeoutSeconds',
  ],
  Volume: ['name'],
  VolumeProjection: [],
};

/** Fields that the API demands although its OpenAPI does not say so. */
export const ALWAYS: ReadonlySet<string> = new Set([
  'ConfigMapEnvSource.name',
  'ConfigMapKeySelector.name',
  'ConfigMapProjection.name',
  'ConfigMapVolumeSource.name',
  'Container.image',
  'ContainerRestartRule.exitCodes',
  'ExecAction.command',
  'FileKeySelector.optional',
  'EphemeralVolumeSource.volumeClaimTemplate',
  'ImageVolumeSource.reference',
  'LocalObjectReference.name',
  'PersistentVolumeClaimSpec.accessModes',
  'PersistentVolumeClaimSpec.resources',
  'ProjectedVolumeSource.sources',
  'PodDNSConfigOption.name',
  'ResourceFieldSelector.containerName',
  'SecretEnvSource.name',
  'SecretKeySelector.name',
  'SecretProjection.name',
  'SecretVolumeSource.secretName',
  'StorageOSVolumeSource.volumeName',
  'VolumeResourceRequirements.requests',
]);

/** The RuntimeClass that the pods may name; {@link RUNTIME_OVERHEAD} is its overhead. */
export const RUNTIME_CLASS = 'random-pod';
export const RUNTIME_OVERHEAD = { cpu: '250m', memory: 1024 } as const;

export const WORD: Arbitrary<string> = fc.constantFrom('a1', 'b2', 'data');
export const QUANTITY: Arbitrary<unknown> = fc.constantFrom<unknown>(
  '1',
  '500m',
  '2Gi',
  '1e3',
  1,
  0.5,
  2.25,
  300,
);

const of = (...values: unknown[]): Arbitrary<unknown> => fc.constantFrom(...values);
const words = fc.array(WORD, { minLength: 1, maxLength: 2 });
const quantitiesOf = (...names: string[]): Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...names), fc.option(QUANTITY, { freq: 15, nil: null }), { maxKeys: 2 });
const storage = of({ storage: '1Gi' }, { storage: 1073741824 }, { storage: 1.5 });

/** Values for which the type says too little: by a type, by a type's field, or by the items of a type's field. */
export const VALUES: Readonly<Record<string, Arbitrary<unknown>>> = {
  'AzureDiskVolumeSource.diskURI': of('/subscriptions/a1'),
  'AzureDiskVolumeSource.kind': of('Managed'),
  'CephFSVolumeSource.monitors': words,
  ClusterTrustBundleProjection: of(
    { name: 'a1', path: 'bundle', optional: true },
    { signerName: 'example.org/a', labelSelector: { matchLabels: { a1: 'b2' } }, path: 'bundle' },
  ),
  'Container.restartPolicy': of('Always', 'Never', 'OnFailure'),
  'ContainerPort.containerPort': of(80, 8080),
  'ContainerPort.hostIP': of('10.0.0.1'),
  'ContainerPort.hostPort': of(80, 8080),
  'Container.resizePolicy': of(
    [{ resourceName: 'memory', restartPolicy: 'NotRequired' }],
    [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    [
      { resourceName: 'memory', restartPolicy: 'NotRequired' },
      { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
    ],
    null,
  ),
  'ContainerRestartRule.action': of('Restart'),
  'ContainerRestartRuleOnExitCodes.operator': of('In', 'NotIn'),
  'ContainerRestartRuleOnExitCodes.values': of([42], [1, 2]),
  'EmptyDirVolumeSource.medium': of('', 'Memory'),
  'EnvVar.name': of('A', 'B', 'C'),
  'ExecAction.command': words,
  FCVolumeSource: of(
    { targetWWNs: ['a1'], lun: 1, fsType: 'ext4', readOnly: true },
    { wwids: ['a1'], fsType: null },
  ),
  'FlexVolumeSource.driver': of('example.org/a'),
  'HTTPHeader.name': of('X-A'),
  'HostAlias.ip': of('10.0.0.1', '2001:db8::1'),
  'HostPathVolumeSource.type': of('', 'Directory', 'File'),
  'ISCSIVolumeSource.initiatorName': of('iqn.2001-04.org.example:b'),
  'ISCSIVolumeSource.iqn': of('iqn.2001-04.org.example:a'),
  LabelSelectorRequirement: of(
    { key: 'a1', operator: 'In', values: ['x', null] },
    { key: 'b2', operator: 'DoesNotExist', values: null },
  ),
  'NodeSelectorTerm.matchExpressions[]': of(
    { key: 'a1', operator: 'In', values: ['x'] },
    { key: 'b2', operator: 'Exists' },
  ),
  'NodeSelectorTerm.matchFields[]': of({ key: 'metadata.name', operator: 'In', values: ['a1'] }),
  'ObjectFieldSelector.apiVersion': of('v1'),
  'ObjectFieldSelector.fieldPath': of('metadata.name', 'metadata.uid'),
  'PersistentVolumeClaimSpec.accessModes': of(['ReadWriteOnce'], ['ReadOnlyMany']),
  'PersistentVolumeClaimSpec.dataSource': of({ kind: 'PersistentVolumeClaim', name: 'a1', apiGroup: '' }),
  'PersistentVolumeClaimSpec.dataSourceRef': of({
    kind: 'A',
    name: 'a1',
    apiGroup: 'example.org',
    namespace: 'b2',
  }),
  'NFSVolumeSource.path': of('/a'),
  'PersistentVolumeClaimTemplate.metadata': of(
    { labels: { a1: null }, annotations: { b2: 'x' }, creationTimestamp: null },
    null,
  ),
  'PodAffinityTerm.matchLabelKeys': of(['key-1']),
  'PodAffinityTerm.mismatchLabelKeys': of(['key-2']),
  PodCertificateProjection: of(
    {
      keyType: 'ED25519',
      signerName: 'example.org/a',
      credentialBundlePath: 'bundle',
      maxExpirationSeconds: 3600,
      userAnnotations: { 'example.org/a': 'b' },
    },
    { keyType: 'RSA4096', signerName: 'example.org/a', keyPath: 'key', certificateChainPath: 'chain' },
  ),
  'PodDNSConfig.nameservers': of(['10.0.0.1']),
  // A pod has them never at its creation.
  'PodSpec.ephemeralContainers': of([], null),
  'PodOS.name': of('linux', 'linux', 'windows'),
  'PodSecurityContext.seLinuxChangePolicy': of('Recursive'),
  'PodSpec.preemptionPolicy': of('PreemptLowerPriority'),
  'PodSpec.priority': of(0),
  'PodSpec.priorityClassName': of('system-node-critical'),
  'PodSpec.runtimeClassName': of(RUNTIME_CLASS),
  'PodSpec.serviceAccount': of('default'),
  'PodSpec.serviceAccountName': of('default'),
  'PodSpec.tolerations[]': of(
    { key: 'a1', operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 30 },
    { key: 'a1', operator: 'Exists', value: null, effect: 'NoSchedule' },
    { operator: 'Exists' },
  ),
  'QuobyteVolumeSource.registry': of('a1:1'),
  'RBDVolumeSource.monitors': words,
  'ResourceFieldSelector.containerName': of('c0'),
  'ResourceFieldSelector.divisor': of('1', 1, null),
  'ResourceFieldSelector.resource': of('limits.cpu', 'requests.memory'),
  'ResourceRequirements.limits': quantitiesOf('cpu', 'memory', 'ephemeral-storage', 'example.org/gpu'),
  'ResourceRequirements.requests': quantitiesOf('cpu', 'memory', 'ephemeral-storage'),
  'ServiceAccountTokenProjection.expirationSeconds': of(600),
  'SecurityContext.procMount': of('Default', 'Default', 'Unmasked'),
  'Sysctl.name': of('kernel.shm_rmid_forced', 'net.ipv4.tcp_syncookies'),
  'Probe.successThreshold': of(1),
  'VolumeMount.mountPropagation': of('None', 'HostToContainer'),
  'VolumeMount.recursiveReadOnly': of('Disabled'),
  'VolumeResourceRequirements.limits': storage,
  'VolumeResourceRequirements.requests': storage,
  'WindowsSecurityContextOptions.hostProcess': of(false),
};
