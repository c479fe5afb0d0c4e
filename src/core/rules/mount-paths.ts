import type { FieldPath } from '../../api/field-path.ts';
import type { VolumeMount } from '../../api/kubernetes.ts';
import { CREDENTIALS_MOUNT_PATH, CREDENTIALS_VOLUME } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { ContainerView } from './template-view.ts';

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
  const mounts = (container.volumeMounts ?? []).flatMap((mount, index) =>
    finding(
      path.child('volumeMounts').index(index, mount.mountPath).child('mountPath'),
      mount.mountPath,
      fault(mount),
    ),
  );
  const devices = (container.volumeDevices ?? []).flatMap(({ devicePath }, index) =>
    finding(
      path.child('volumeDevices').index(index, devicePath).child('devicePath'),
      devicePath,
      isTaken(normalize(devicePath)) ? TAKEN : undefined,
    ),
  );
  return [...mounts, ...devices];
}

function finding(path: FieldPath, value: string, message: string | undefined): readonly Finding[] {
  return message === undefined ? [] : [invalid({ rule: mountPaths.id, path, value, message })];
}

const TAKEN = `'${CREDENTIALS_MOUNT_PATH}' holds the cluster's credentials; mount elsewhere`;

function fault(mount: VolumeMount): string | undefined {
  const at = normalize(mount.mountPath);
  if (mount.name === CREDENTIALS_VOLUME) {
    const whole = !mount.subPath && !mount.subPathExpr;
    if (at === CREDENTIALS_MOUNT_PATH && whole) return undefined;
    return `the volume '${CREDENTIALS_VOLUME}' is mounted at '${CREDENTIALS_MOUNT_PATH}', whole; remove this mount or write that`;
  }
  return isTaken(at) ? TAKEN : undefined;
}

function isTaken(path: string): boolean {
  return path === CREDENTIALS_MOUNT_PATH || path.startsWith(`${CREDENTIALS_MOUNT_PATH}/`);
}

/** `/etc//dask-credentials/.` and `/etc/x/../dask-credentials` are the same folder as `/etc/dask-credentials`. */
function normalize(path: string | undefined): string {
  const parts: string[] = [];
  for (const part of (path ?? '').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
