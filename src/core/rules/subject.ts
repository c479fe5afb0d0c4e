import { formOf, type DaskCluster, type Form } from '../../api/dask-cluster.ts';
import type { Finding } from '../findings.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { gatewayTemplateViews } from './gateway-views.ts';
import { templateView, type TemplateView } from './template-view.ts';

/** What an object is judged by, besides itself. */
export interface Circumstances {
  /** Absent means the defaults. */
  readonly policy?: Policy;
  /** The sound part of the stored object that is to be replaced. */
  readonly oldCluster?: DaskCluster;
}

/** What the rules look at: an object whose present fields have their declared types. */
export interface Subject {
  readonly cluster: DaskCluster;
  readonly form: Form | undefined;
  readonly policy: Policy;
  /** The sound part of the stored object; undefined for a new one. */
  readonly oldCluster: DaskCluster | undefined;
  /** Of the gateway form: the pods that `spec.config` leads to. */
  readonly templates: readonly TemplateView[];
}

export interface Rule {
  /** Stable over releases: metrics, documentation and exceptions refer to it. */
  readonly id: string;
  check(subject: Subject): readonly Finding[];
}

export function subjectOf(
  cluster: DaskCluster,
  { policy = DEFAULT_POLICY, oldCluster }: Circumstances = {},
): Subject {
  const form = formOf(cluster.spec);
  return { cluster, form, policy, oldCluster, templates: templatesOf(cluster, form) };
}

function templatesOf(cluster: DaskCluster, form: Form | undefined): readonly TemplateView[] {
  if (form === undefined) return [];
  if (form === 'gateway') return gatewayTemplateViews(cluster);
  return (['scheduler', 'worker'] as const).flatMap((role) => {
    const template = cluster.spec[role]?.template;
    return template === undefined ? [] : [templateView(role, template)];
  });
}
