import { connectSecretName, credentialsSecretName } from '../../api/names.ts';
import { cut, forbidden, type Finding } from '../findings.ts';
import { pullSecretReferences, secretReferences } from './secret-references.ts';
import type { Rule, Subject } from './subject.ts';

const CREDENTIALS_PREFIX = credentialsSecretName('');
const CONNECT_PREFIX = connectSecretName('', '').slice(0, -1);

/** Whoever reads another cluster's Secret can connect to it, stop it and pose as its workers. */
export const foreignCredentials: Rule = {
  id: 'foreign-credentials',
  check({ cluster, templates }: Subject): readonly Finding[] {
    // Before the API server has generated the name every such Secret is another cluster's.
    const own = credentialsSecretName(cluster.metadata.name || '<name>');
    const references = templates.flatMap((view) => [
      ...secretReferences(view),
      ...pullSecretReferences(view),
    ]);
    return references.flatMap(({ name, path }) => {
      const message = fault(name, own);
      return message === undefined
        ? []
        : [forbidden({ rule: foreignCredentials.id, path, value: name, message })];
    });
  },
};

function fault(name: string, own: string): string | undefined {
  if (name.startsWith(CREDENTIALS_PREFIX) && name !== own) {
    return `Secrets named '${CREDENTIALS_PREFIX}…' hold the credentials of clusters, and '${cut(name)}' is another cluster's; this one's is '${cut(own)}'`;
  }
  return name.startsWith(CONNECT_PREFIX)
    ? `Secrets named '${CONNECT_PREFIX}…' let pods connect to a cluster of another namespace; label such a pod instead`
    : undefined;
}
