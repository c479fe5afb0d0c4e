import type { DaskCluster } from '../../../api/dask-cluster.ts';
import { asWarning, forbidden, type Finding } from '../../findings.ts';
import type { Policy } from '../../policy/policy.ts';
import { located } from '../located.ts';
import { subjectOf } from '../subject.ts';
import { type TemplateView } from '../template-view.ts';
import { reachesHost } from './host.ts';
import { reachesPrivilege } from './privilege.ts';
import { reachesByKubelet } from './probes.ts';
import { reachesAccount, reachesSecrets } from './rights.ts';
import { reachesStorage } from './volumes.ts';

/**
 * Where a cluster's pods reach further than their cluster needs. It counts only where the requester may not create
 * such pods himself: whoever may write DaskClusters would otherwise run any pod with the controller's rights. So it
 * is no part of the judge; only admission knows who asks.
 * @param cluster the sound part of the object
 * @param oldCluster the sound part of the stored one. What it has already is a warning only while the whole template
 *   is unchanged: another image or command beside an old `hostPath` would be a new reach.
 */
export function judgeReach(
  cluster: DaskCluster,
  policy: Policy,
  oldCluster?: DaskCluster,
): readonly Finding[] {
  const { templates } = subjectOf(cluster, { policy });
  const old = new Set(oldCluster && subjectOf(oldCluster, { policy }).templates.map(identityOf));
  const findings = templates.flatMap((view) => {
    const reaching = ofTemplate(view, policy, cluster.metadata.name);
    return old.has(identityOf(view))
      ? reaching.map((finding) => ({ ...asWarning(finding), stored: true as const }))
      : reaching;
  });
  return located(findings, templates);
}

function identityOf({ role, template }: TemplateView): string {
  return `${role} ${JSON.stringify(template)}`;
}

function ofTemplate(view: TemplateView, { reach }: Policy, cluster: string | undefined): Finding[] {
  return [
    ...reachesAccount(view, reach),
    ...reachesSecrets(view, reach, cluster),
    ...reachesStorage(view),
    ...reachesHost(view),
    ...reachesPrivilege(view),
    ...reachesByKubelet(view),
  ].map((reaching) => forbidden({ rule: 'reach', ...reaching }));
}
