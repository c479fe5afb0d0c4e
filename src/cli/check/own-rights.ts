import type { Resource } from '../../api/kubernetes.ts';
import type { KubeClient } from '../../kube/client.ts';

const SELF_REVIEWS: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
};

interface SelfReview {
  readonly status?: { readonly allowed?: boolean };
}

/** What the caller may create, asked once for each kind and namespace. */
export class OwnRights {
  private readonly client: Pick<KubeClient, 'create'>;
  private readonly answers = new Map<string, Promise<boolean>>();

  constructor(client: Pick<KubeClient, 'create'>) {
    this.client = client;
  }

  mayCreate(resource: Resource, namespace: string): Promise<boolean> {
    const key = `${resource.plural} ${namespace}`;
    const answer = this.answers.get(key) ?? this.ask(resource, namespace);
    this.answers.set(key, answer);
    return answer;
  }

  private async ask({ group, plural }: Resource, namespace: string): Promise<boolean> {
    const resourceAttributes = { namespace, verb: 'create', group, resource: plural };
    const review = {
      apiVersion: `${SELF_REVIEWS.group}/${SELF_REVIEWS.version}`,
      kind: SELF_REVIEWS.kind,
      spec: { resourceAttributes },
    };
    const { status } = await this.client.create<object, SelfReview>(SELF_REVIEWS, {}, review);
    return status?.allowed === true;
  }
}
