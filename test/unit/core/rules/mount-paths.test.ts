import { describe, it } from 'vitest';
import type { VolumeMount } from '../../../../src/api/kubernetes.ts';
import { mountPaths } from '../../../../src/core/rules/mount-paths.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const HOME = '/etc/dask-credentials';
const at = (mountPath: string, change: Partial<VolumeMount> = {}): VolumeMount => ({
  name: 'dask-credentials',
  mountPath,
  ...change,
});
const data = (mountPath: string): VolumeMount => at(mountPath, { name: 'data' });

describe('mount-paths', () => {
  it.each<[string, VolumeMount]>([
    ['the mount alone, without its volume', at(HOME)],
    ['the mount as dask-gateway writes it', at(`${HOME}/`, { readOnly: true })],
    ['another spelling of the folder', at('/etc/x/..//./dask-credentials/.')],
    ['a path without a leading slash, which the kubelet adds', at('etc/dask-credentials')],
    ['empty sub-paths, which are none', at(HOME, { subPath: '', subPathExpr: '' })],
    ['another volume elsewhere', data('/data')],
    ['another volume above', data('/etc')],
    ['another volume at the root', data('/')],
    ['another volume beside', data(`${HOME}-old`)],
    ['another volume in a folder of the same name', data('/srv/etc/dask-credentials')],
  ])('allows %s', (_what, mount) => {
    expectNothing(mountPaths, withDaskContainer('worker', { volumeMounts: [mount] }));
  });

  it.each<[string, VolumeMount, string]>([
    ['the credentials elsewhere', at('/var/cache/creds'), `mounted at '${HOME}', whole`],
    ['the credentials below their folder', at(`${HOME}/tls`), 'remove this mount or write that'],
    ['one file of them', at(HOME, { subPath: 'dask.crt' }), 'whole'],
    ['a file by an expression', at(HOME, { subPathExpr: '$(POD)' }), 'whole'],
    ['another volume at their folder', data(HOME), "holds the cluster's credentials; mount elsewhere"],
    ['another volume below', data(`${HOME}/dask.crt`), 'mount elsewhere'],
    ['another spelling of below', data('/../etc/./dask-credentials//x'), 'mount elsewhere'],
  ])('refuses %s', (_what, mount, says) => {
    const cluster = withDaskContainer('scheduler', { volumeMounts: [data('/data'), mount] });
    const path = 'spec.scheduler.template.spec.containers[0].volumeMounts[1].mountPath';
    expectFinding(mountPaths, cluster, { path, says });
  });

  it('refuses a block device there, which would keep the credentials from being mounted', () => {
    const devices = [
      { name: 'disk', devicePath: '/dev/xvda' },
      { name: 'disk', devicePath: `${HOME}/` },
    ];
    expectFinding(mountPaths, withDaskContainer('worker', { volumeDevices: devices }), {
      path: 'spec.worker.template.spec.containers[0].volumeDevices[1].devicePath',
      says: 'mount elsewhere',
    });
  });

  it('leaves other containers alone, and finds the Dask container behind them', () => {
    const sidecar = { name: 'proxy', image: IMAGE, volumeMounts: [at('/creds'), data(HOME)] };
    const dask = { name: 'dask-worker', image: IMAGE };
    const spec = { initContainers: [{ ...sidecar, name: 'init' }], containers: [sidecar, dask] };
    expectNothing(mountPaths, withPodSpec('worker', spec));
    const both = { ...spec, containers: [sidecar, { ...dask, volumeMounts: [data(HOME)] }] };
    expectFinding(mountPaths, withPodSpec('worker', both), {
      path: 'spec.worker.template.spec.containers[1].volumeMounts[0].mountPath',
      says: 'mount elsewhere',
    });
  });

  it('says nothing where nobody knows which container it is', () => {
    const containers = ['a', 'b'].map((name) => ({ name, volumeMounts: [data(HOME)] }));
    expectNothing(mountPaths, withPodSpec('worker', { containers }));
    expectNothing(mountPaths, aCluster());
  });

  it('refuses a mount that says no path', () => {
    const mount = { name: 'dask-credentials' } as VolumeMount;
    expectFinding(mountPaths, withDaskContainer('worker', { volumeMounts: [mount] }), {
      path: 'spec.worker.template.spec.containers[0].volumeMounts[0].mountPath',
      says: 'Invalid value: null',
    });
  });
});
