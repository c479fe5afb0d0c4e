import { CERTIFICATE_KEY, CREDENTIALS_MOUNT_PATH, PRIVATE_KEY_KEY } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import { commandOptions, type CommandOption } from './command-options.ts';
import type { Rule, Subject } from './subject.ts';
import type { ContainerView } from './template-view.ts';

const CERTIFICATE = `${CREDENTIALS_MOUNT_PATH}/${CERTIFICATE_KEY}`;
const PRIVATE_KEY = `${CREDENTIALS_MOUNT_PATH}/${PRIVATE_KEY_KEY}`;

const FILES: ReadonlyMap<string, string> = new Map([
  ['--tls-ca-file', CERTIFICATE],
  ['--tls-cert', CERTIFICATE],
  ['--tls-key', PRIVATE_KEY],
]);

/**
 * A command's options win over the environment that turns on mutual TLS: `--protocol ws` serves anybody, without
 * encryption, and other certificates shut everybody out.
 */
export const tlsOptions: Rule = {
  id: 'tls-options',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ dask }) => (dask === undefined ? [] : ofContainer(dask)));
  },
};

function ofContainer(view: ContainerView): readonly Finding[] {
  return commandOptions(view).flatMap((option) => {
    const message = fault(option);
    if (message === undefined) return [];
    return [invalid({ rule: tlsOptions.id, path: option.path, value: option.word, message })];
  });
}

function fault({ name, value }: CommandOption): string | undefined {
  if (name === '--protocol') {
    const secure = value.split(',').every((protocol) => protocol.replace(/:\/\/$/, '') === 'tls');
    return secure || value === '' ? undefined : "Dask must use the protocol 'tls' in a cluster";
  }
  const file = FILES.get(name);
  return file === undefined || file === value
    ? undefined
    : `the cluster's own file is '${file}'; write that, or nothing: the environment names it already`;
}
