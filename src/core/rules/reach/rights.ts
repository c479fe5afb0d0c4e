import { credentialsSecretName } from '../../../api/names.ts';
import type { Policy } from '../../policy/policy.ts';
import { matchesGlob } from '../../identity/glob.ts';
import { secretReferences } from '../secret-references.ts';
import type { TemplateView } from '../template-view.ts';
import type { Reaching } from './place.ts';

const CREDENTIALS_PREFIX = credentialsSecretName('');
/** What a pod is that names no account. */
const DEFAULT_ACCOUNT = 'default';

/** Whose rights the pod has, as Kubernetes reads it: the newer of the two fields wins. */
export function reachesAccount(
  { path, spec }: TemplateView,
  { serviceAccounts }: Policy['reach'],
): readonly Reaching[] {
  const field = !spec.serviceAccountName && spec.serviceAccount ? 'serviceAccount' : 'serviceAccountName';
  const value = spec[field] || DEFAULT_ACCOUNT;
  if (serviceAccounts.includes(value)) return [];
  const possible = serviceAccounts.length === 0 ? 'none' : serviceAccounts.join(', ');
  const message = `a cluster's pods may not run as '${value}'; possible: ${possible}`;
  return [{ path: path.child('spec', field), value: spec[field], message }];
}

/**
 * Secrets whose contents the pod would read. Those with which its images are pulled are not among them: only the
 * kubelet reads them, and shows each to no one but its own registry.
 * @param cluster name of the DaskCluster
 */
export function reachesSecrets(
  view: TemplateView,
  { secrets }: Policy['reach'],
  cluster: string | undefined,
): readonly Reaching[] {
  const own = cluster ? credentialsSecretName(cluster) : undefined;
  const possible = secrets.length === 0 ? 'none but its own credentials' : secrets.join(', ');
  return (
    secretReferences(view)
      // Other clusters' credentials are refused to everybody, by a rule of their own.
      .filter(
        ({ name }) =>
          name !== own &&
          !name.startsWith(CREDENTIALS_PREFIX) &&
          !secrets.some((pattern) => matchesGlob(pattern, name)),
      )
      .map(({ path, name }) => ({
        path,
        value: name,
        message: `a cluster's pods may not read this Secret; possible: ${possible}`,
      }))
  );
}
