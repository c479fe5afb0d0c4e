/** The executables of a control plane, in the order of the tables that name them. */
export const BINARIES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;

export type BinaryName = (typeof BINARIES)[number];

/** The path of every executable. */
export type Binaries = Readonly<Record<BinaryName, string>>;

export type ModuleName = 'etcd' | 'kubernetes' | 'kwok';

/** Go code that executables are built from: the folder `modules/<name>` pins it with its go.mod and go.sum. */
export interface GoModule {
  readonly name: ModuleName;
  readonly version: string;
  /** Package of every executable. */
  readonly packages: Readonly<Partial<Record<BinaryName, string>>>;
  /** Values that the linker sets, so that an executable knows its version. */
  readonly linkerValues: readonly string[];
  /** Usual duration of a first build on two cores. */
  readonly usualMinutes: number;
  /** Disk that the build takes until it is done: modules, compiled packages, temporary files. */
  readonly buildMiB: number;
}

const KUBERNETES = 'v1.36.3';
const KUBERNETES_COMMANDS = 'k8s.io/kubernetes/cmd';
const VERSION_PACKAGE = 'k8s.io/component-base/version';

export const MODULES: readonly GoModule[] = [
  {
    name: 'etcd',
    version: 'v3.6.16',
    packages: { etcd: 'go.etcd.io/etcd/server/v3' },
    linkerValues: [],
    usualMinutes: 1,
    buildMiB: 800,
  },
  {
    name: 'kubernetes',
    version: KUBERNETES,
    packages: {
      'kube-apiserver': `${KUBERNETES_COMMANDS}/kube-apiserver`,
      'kube-controller-manager': `${KUBERNETES_COMMANDS}/kube-controller-manager`,
      'kube-scheduler': `${KUBERNETES_COMMANDS}/kube-scheduler`,
      kubectl: `${KUBERNETES_COMMANDS}/kubectl`,
    },
    linkerValues: [
      `${VERSION_PACKAGE}.gitVersion=${KUBERNETES}`,
      `${VERSION_PACKAGE}.gitMajor=1`,
      `${VERSION_PACKAGE}.gitMinor=36`,
      `${VERSION_PACKAGE}.gitTreeState=clean`,
    ],
    usualMinutes: 6,
    buildMiB: 6656,
  },
  {
    name: 'kwok',
    version: 'v0.8.0',
    packages: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
    linkerValues: [],
    usualMinutes: 2,
    buildMiB: 1536,
  },
];

/** Size of a finished executable, for the table that says what a build will take. */
export const BINARY_MIB: Readonly<Record<BinaryName, number>> = {
  etcd: 26,
  'kube-apiserver': 101,
  'kube-controller-manager': 92,
  'kube-scheduler': 70,
  kubectl: 57,
  kwok: 61,
};

export function moduleOf(binary: BinaryName): GoModule {
  const found = MODULES.find(({ packages }) => packages[binary] !== undefined);
  if (found === undefined) throw new Error(`no module builds ${binary}`);
  return found;
}

/** Whether an executable of `version` (`1.36.1`) can stand in for the pinned one: the same minor release. */
export function isAcceptable(binary: BinaryName, version: string): boolean {
  return minorOf(version) === minorOf(moduleOf(binary).version);
}

/** `v1.36.3` -> `1.36` */
export function minorOf(version: string): string {
  return version.replace(/^v/, '').split('.').slice(0, 2).join('.');
}
