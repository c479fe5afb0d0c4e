import { RUNTIME_OVERHEAD } from './random-pod-values.ts';

export type Json = Record<string, unknown>;

/** A copy of a pod's spec in which the names of its parts are unique, and what refers to them finds them. */
export function consistent(original: Json): Json {
  const spec = structuredClone(original);
  const volumes = objects(spec['volumes']);
  const claims = objects(spec['resourceClaims']);
  volumes.forEach((volume, index) => (volume['name'] = `v${index}`));
  claims.forEach((claim, index) => (claim['name'] = `r${index}`));
  const blocks = volumes.filter((volume) => volume['persistentVolumeClaim'] ?? volume['ephemeral']);
  for (const [list, prefix] of [
    ['containers', 'c'],
    ['initContainers', 'i'],
  ] as const) {
    objects(spec[list]).forEach((container, index) => {
      container['name'] = `${prefix}${index}`;
      // The paths of mounts and devices must differ, and a volume is only one of both.
      referTo(
        container,
        'volumeMounts',
        volumes.filter((volume) => !blocks.includes(volume)),
        'mountPath',
      );
      referTo(container, 'volumeDevices', blocks, 'devicePath');
      objects(container['ports']).forEach((port, place) => 'name' in port && (port['name'] = `p${place}`));
      const resources = container['resources'] as Json | null | undefined;
      if (resources) referTo(resources, 'claims', claims);
      fileVariables(container, spec);
      const { readinessProbe } = container as { readinessProbe?: Json | null };
      if (readinessProbe) delete readinessProbe['terminationGracePeriodSeconds'];
      if (container['restartPolicyRules']) container['restartPolicy'] ??= 'Never';
      // Only an init container that stays has these.
      const stays = ['readinessProbe', 'livenessProbe', 'startupProbe', 'lifecycle'];
      if (prefix === 'i' && stays.some((field) => container[field])) container['restartPolicy'] = 'Always';
    });
  }
  if (spec['resources']) delete (spec['resources'] as Json)['claims'];
  if (spec['dnsPolicy'] === 'None') spec['dnsConfig'] ??= { nameservers: ['10.0.0.1'] };
  // A class gives the priority; without one it is 0.
  if (spec['priorityClassName'] && 'priority' in spec) spec['priority'] = 2_000_001_000;
  if ('overhead' in spec) spec['overhead'] = spec['runtimeClassName'] ? RUNTIME_OVERHEAD : null;
  return spec;
}

function objects(list: unknown): Json[] {
  return Array.isArray(list)
    ? list.filter((item): item is Json => typeof item === 'object' && item !== null)
    : [];
}

/** Makes the items of a list name one of the targets each, or takes the list away. */
function referTo(holder: Json, list: string, targets: readonly Json[], pathField?: string): void {
  if (!Array.isArray(holder[list])) return;
  holder[list] = objects(holder[list])
    .slice(0, targets.length)
    .map((item, index) => ({
      ...item,
      name: targets[index]?.['name'],
      ...(pathField !== undefined && { [pathField]: `/m/${index}` }),
    }));
}

/** A variable has a value or a source; one out of a file needs an emptyDir that holds the file. */
function fileVariables(container: Json, spec: Json): void {
  for (const variable of objects(container['env'])) {
    const source = variable['valueFrom'] as Json | null | undefined;
    if (!source) continue;
    delete variable['value'];
    const file = source['fileKeyRef'] as Json | undefined;
    if (!file) continue;
    file['volumeName'] = 'files';
    const others = objects(spec['volumes']).filter(({ name }) => name !== 'files');
    spec['volumes'] = [...others, { name: 'files', emptyDir: {} }];
  }
}
