import { GO_NEEDED, GO_OLDEST, isOlder } from './go-toolchain.ts';
import type { Location } from './locate.ts';
import type { Machine } from './machine.ts';
import { BINARY_MIB, type GoModule, minorOf, MODULES, moduleOf } from './versions.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Linking kube-apiserver takes about 2 GiB. */
const COMFORTABLE_MEMORY_BYTES = 3 * GIB;

/** The table that stands before everything else: what the machine has, what is found, what must be built. */
export function preflightTable(machine: Machine, locations: readonly Location[]): readonly string[] {
  return [
    'This machine',
    ...machineRows(machine).map(([name, value]) => row(name, value)),
    'The control plane',
    ...locations.map((location) => row(location.binary, describeLocation(location))),
    ...locations.flatMap(({ passedOver }) => passedOver).map((reason) => `  passed over: ${reason}`),
    ...buildSummary(machine, locations),
  ];
}

/** The one sentence that says why the missing executables cannot be built here and what to do; undefined: they can. */
export function obstacle(machine: Machine, locations: readonly Location[]): string | undefined {
  const missing = locations.filter(({ found }) => found === undefined).map(({ binary }) => binary);
  if (missing.length === 0) return undefined;
  const waysOut =
    `set KUBEBUILDER_ASSETS to a folder that holds ${missing.join(', ')}, ` +
    'or use a cluster that you have: npm run demo -- --kubeconfig FILE';
  if (machine.go === undefined) {
    return `There is no Go to build ${missing.join(', ')}: install Go ${GO_NEEDED} (https://go.dev/dl), or ${waysOut}.`;
  }
  if (isOlder(machine.go.version, GO_OLDEST)) {
    return (
      `Go ${machine.go.version} is too old to build ${missing.join(', ')} or to fetch a newer Go: ` +
      `install Go ${GO_NEEDED} (https://go.dev/dl), or ${waysOut}.`
    );
  }
  const neededBytes = diskMiB(locations) * MIB;
  if (machine.freeBytes < neededBytes) {
    return (
      `Building ${missing.join(', ')} takes ${gib(neededBytes)} of disk and ${machine.cacheFolder} has ` +
      `${gib(machine.freeBytes)}: free some, or set XDG_CACHE_HOME to a folder with more, or ${waysOut}.`
    );
  }
  return undefined;
}

/** The modules that must be built, in the order of building. */
export function modulesToBuild(locations: readonly Location[]): readonly GoModule[] {
  const missing = locations.filter(({ found }) => found === undefined);
  return MODULES.filter((module) => missing.some(({ binary }) => moduleOf(binary) === module));
}

/** A proxy's URL as it may be shown: without user name and password. */
export function withoutCredentials(url: string): string {
  const [, scheme = '', rest = url] = /^(\w+:\/\/)?(.*)$/s.exec(url) ?? [];
  // Up to the last @, because a password may hold one.
  return scheme + rest.slice(rest.lastIndexOf('@') + 1);
}

function machineRows(machine: Machine): readonly (readonly [string, string])[] {
  const { go, httpsProxy, noProxy } = machine;
  const memory = `${gib(machine.memoryBytes)}, ${machine.cpus} CPUs`;
  const proxies = [
    httpsProxy === undefined ? undefined : `HTTPS_PROXY=${withoutCredentials(httpsProxy)}`,
    noProxy === undefined ? undefined : `NO_PROXY=${noProxy}`,
    go === undefined ? undefined : `GOPROXY=${go.proxy.split(',').map(withoutCredentials).join(',')}`,
  ].filter((proxy) => proxy !== undefined);
  return [
    ['Node', machine.node],
    ['npm', machine.npm ?? 'not found'],
    ['Go', go === undefined ? 'not found' : describeGo(go.version)],
    ['memory', machine.memoryBytes < COMFORTABLE_MEMORY_BYTES ? `${memory} (little for a build)` : memory],
    ['disk', `${gib(machine.freeBytes)} free in ${machine.cacheFolder}`],
    ['proxy', proxies.length === 0 ? 'none' : proxies.join(' ')],
  ];
}

function describeGo(version: string): string {
  if (isOlder(version, GO_OLDEST)) return `${version} (too old)`;
  return isOlder(version, GO_NEEDED) ? `${version} (fetches Go ${GO_NEEDED} for a build)` : version;
}

function describeLocation({ binary, found }: Location): string {
  const module = moduleOf(binary);
  if (found === undefined) {
    const together = Object.keys(module.packages).length > 1 ? ` with the others of ${module.name}` : '';
    return `to build: ${module.version}, usually ${module.usualMinutes} min${together}, ${BINARY_MIB[binary]} MiB`;
  }
  const wanted = minorOf(module.version);
  const other = minorOf(found.version) === wanted ? '' : ` (tested with ${wanted})`;
  return `${found.version}${other} from ${found.origin}: ${found.path}`;
}

function buildSummary(machine: Machine, locations: readonly Location[]): readonly string[] {
  const modules = modulesToBuild(locations);
  if (modules.length === 0) return [];
  const minutes = modules.reduce((sum, { usualMinutes }) => sum + usualMinutes, 0);
  return [
    `To build: usually ${minutes} min on 2 cores, once; until it is done up to ${gib(diskMiB(locations) * MIB)} ` +
      `of disk in ${machine.cacheFolder}, afterwards ${keptMiB(locations)} MiB.`,
  ];
}

/** Modules share one build folder, so their needs add up. */
function diskMiB(locations: readonly Location[]): number {
  return modulesToBuild(locations).reduce((sum, { buildMiB }) => sum + buildMiB, keptMiB(locations));
}

function keptMiB(locations: readonly Location[]): number {
  return locations
    .filter(({ found }) => found === undefined)
    .reduce((sum, { binary }) => sum + BINARY_MIB[binary], 0);
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(24)} ${value}`;
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
