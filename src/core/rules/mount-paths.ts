import type { VolumeMount } from '../../api/kubernetes.ts';
import { CREDENTIALS_MOUNT_PATH, CREDENTIALS_VOLUME } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { ContainerView, Rule, Subject } from './subject.ts';

/**
 * In the Dask container nothing but the credentials may be mounted at or below their folder, and they may be
 * mounted nowhere else: Dask is told to look there.
 */
export const mountPaths: Rule = {
  id: 'mount-paths',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ dask }) => (dask === undefined ? [] : ofContainer(dask)));
  },
};

function ofContainer({ container, path }: ContainerView): readonly Finding[] {
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const message = fault(mount);
    if (message === undefined) return [];
    const at = path.child('volumeMounts').index(index, mount.mountPath).child('mountPath');
    return [invalid({ rule: mountPaths.id, path: at, value: mount.mountPath, message })];
  });
}

function fault(mount: VolumeMount): string | undefined {
  const at = normalize(mount.mountPath);
  if (mount.name === CREDENTIALS_VOLUME) {
    const whole = mount.subPath === undefined && mount.subPathExpr === undefined;
    if (at === CREDENTIALS_MOUNT_PATH && whole) return undefined;
    return `the volume '${CREDENTIALS_VOLUME}' is mounted at '${CREDENTIALS_MOUNT_PATH}', whole; remove this mount or write that`;
  }
  if (at === CREDENTIALS_MOUNT_PATH || isBelow(CREDENTIALS_MOUNT_PATH, at)) {
    return `'${CREDENTIALS_MOUNT_PATH}' holds the cluster's credentials; mount elsewhere`;
  }
  return undefined;
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** `/etc//dask-credentials/.` and `/etc/x/../dask-credentials` are the same folder as `/etc/dask-credentials`. */
function normalize(path: string | undefined): string {
  const parts: string[] = [];
  for (const part of (path ?? '').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length === 0 ? '' : `/${parts.join('/')}`;
}
