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
      fileVariables(container, volumes);
    });
  }
  if (spec['resources']) delete (spec['resources'] as Json)['claims'];
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

/** A variable out of a file needs an emptyDir that holds the file. */
function fileVariables(container: Json, volumes: readonly Json[]): void {
  const holder = volumes.find((volume) => volume['emptyDir']);
  for (const variable of objects(container['env'])) {
    const source = (variable['valueFrom'] as Json | null | undefined)?.['fileKeyRef'] as Json | undefined;
    if (variable['value'] !== undefined && variable['valueFrom']) delete variable['value'];
    if (source && holder) source['volumeName'] = holder['name'];
    else if (source) delete variable['valueFrom'];
  }
}
