import { expect, test } from 'vitest';
import type { Location } from '../../../src/control-plane/locate.ts';
import type { Machine } from '../../../src/control-plane/machine.ts';
import {
  modulesToBuild,
  obstacle,
  preflightTable,
  withoutCredentials,
} from '../../../src/control-plane/preflight.ts';
import { BINARIES, type BinaryName } from '../../../src/control-plane/versions.ts';

const GIB = 1024 ** 3;

const machine: Machine = {
  node: '24.22.3',
  npm: '11.0.0',
  go: { version: '1.26.8', moduleCache: '/go/pkg/mod', proxy: 'https://proxy.golang.org,direct' },
  cpus: 2,
  memoryBytes: 16 * GIB,
  cacheFolder: '/home/me/.cache/daskwarden',
  freeBytes: 50 * GIB,
  httpsProxy: undefined,
  noProxy: undefined,
};

const found = (binary: BinaryName, version = '1.36.3'): Location => ({
  binary,
  found: { path: `/assets/${binary}`, origin: 'KUBEBUILDER_ASSETS', version },
  passedOver: [],
});
const missing = (binary: BinaryName, ...passedOver: string[]): Location => ({ binary, passedOver });
const allFound = BINARIES.map((binary) => found(binary));

test('with envtest the table says where three are, that three are built, and what that takes', () => {
  const locations = [
    found('etcd', '3.6.4'),
    found('kube-apiserver'),
    missing('kube-controller-manager'),
    missing('kube-scheduler'),
    found('kubectl', '1.34.0'),
    missing('kwok', '/usr/bin/kwok is 0.7.0, not 0.8'),
  ];
  expect(preflightTable(machine, locations).join('\n')).toBe(
    `
This machine
  Node                     24.22.3
  npm                      11.0.0
  Go                       1.26.8
  memory                   16.0 GiB, 2 CPUs
  disk                     50.0 GiB free in /home/me/.cache/daskwarden
  proxy                    GOPROXY=https://proxy.golang.org,direct
The control plane
  etcd                     3.6.4 from KUBEBUILDER_ASSETS: /assets/etcd
  kube-apiserver           1.36.3 from KUBEBUILDER_ASSETS: /assets/kube-apiserver
  kube-controller-manager  to build: v1.36.3, usually 6 min with the others of kubernetes, 92 MiB
  kube-scheduler           to build: v1.36.3, usually 6 min with the others of kubernetes, 70 MiB
  kubectl                  1.34.0 (tested with 1.36) from KUBEBUILDER_ASSETS: /assets/kubectl
  kwok                     to build: v0.8.0, usually 2 min, 61 MiB
  passed over: /usr/bin/kwok is 0.7.0, not 0.8
To build: usually 8 min on 2 cores, once; until it is done up to 8.2 GiB of disk in /home/me/.cache/daskwarden, afterwards 223 MiB.
`.trim(),
  );
  expect(modulesToBuild(locations).map(({ name }) => name)).toEqual(['kubernetes', 'kwok']);
});

test('when all are found nothing is said of building, and nothing is in the way even without Go and disk', () => {
  const bare = { ...machine, npm: undefined, go: undefined, freeBytes: 0 };
  const table = preflightTable(bare, allFound);
  expect(table).toContain('  npm                      not found');
  expect(table).toContain('  Go                       not found');
  expect(table).toContain('  proxy                    none');
  expect(table.at(-1)).toBe(
    '  kwok                     1.36.3 (tested with 0.8) from KUBEBUILDER_ASSETS: /assets/kwok',
  );
  expect(obstacle(bare, allFound)).toBeUndefined();
});

test('without Go one sentence names the three ways out', () => {
  expect(obstacle({ ...machine, go: undefined }, [missing('etcd'), missing('kwok')])).toBe(
    'There is no Go to build etcd, kwok: install Go 1.26 (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a ' +
      'folder that holds etcd, kwok, or use a cluster that you have: npm run demo -- --kubeconfig FILE.',
  );
});

test.for([
  ['1.20.14', '1.20.14 (too old)', /^Go 1\.20\.14 is too old to build etcd .*install Go 1\.26/],
  ['1.21.0', '1.21.0 (fetches Go 1.26 for a build)', undefined],
  ['1.26.0', '1.26.0', undefined],
  ['1.100.0', '1.100.0', undefined],
] as const)('Go %s is shown as %s', ([version, shown, problem]) => {
  const facts = { ...machine, go: { ...machine.go!, version } };
  expect(preflightTable(facts, allFound)).toContain(`  Go                       ${shown}`);
  const sentence = obstacle(facts, [missing('etcd')]);
  if (problem === undefined) expect(sentence).toBeUndefined();
  else expect(sentence).toMatch(problem);
});

test('too little disk is one sentence with both numbers', () => {
  expect(obstacle({ ...machine, freeBytes: 0.5 * GIB }, [missing('etcd')])).toMatch(
    /^Building etcd takes 0\.8 GiB of disk and \/home\/me\/\.cache\/daskwarden has 0\.5 GiB: free some, /,
  );
  expect(obstacle({ ...machine, freeBytes: 0.9 * GIB }, [missing('etcd')])).toBeUndefined();
});

test('little memory is said', () => {
  expect(preflightTable({ ...machine, memoryBytes: 2 * GIB }, allFound)).toContain(
    '  memory                   2.0 GiB, 2 CPUs (little for a build)',
  );
});

test('the table shows proxies without their credentials', () => {
  const table = preflightTable(
    {
      ...machine,
      httpsProxy: 'http://me:s3cr@t@proxy.test:3128',
      noProxy: 'corp.test',
      go: { ...machine.go!, proxy: 'https://me:t0ken@goproxy.test/path,direct' },
    },
    allFound,
  );
  expect(table).toContain(
    '  proxy                    HTTPS_PROXY=http://proxy.test:3128 NO_PROXY=corp.test ' +
      'GOPROXY=https://goproxy.test/path,direct',
  );
});

test.for([
  ['me:secret@proxy:3128', 'proxy:3128'],
  ['http://me:with/slash@proxy', 'http://proxy'],
  ['http://proxy:3128/', 'http://proxy:3128/'],
  ['off', 'off'],
] as const)('%s is shown as %s', ([url, shown]) => {
  expect(withoutCredentials(url)).toBe(shown);
});
