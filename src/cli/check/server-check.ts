import { DASK_CLUSTERS } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { PODS, type KubeObject, type Resource } from '../../api/kubernetes.ts';
import type { CauseReason, Finding } from '../../core/findings.ts';
import { findingsOfRefusal } from '../../core/pod-verdict/findings-of-refusal.ts';
import type { JudgedPod } from '../../core/pod-verdict/judged-pod.ts';
import { podsOf } from '../../core/pod-verdict/pods-of.ts';
import { DEFAULT_SETTINGS } from '../../core/plan/observed.ts';
import { segmentsOfPodField } from '../../core/render/gateway/pod-field.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../../core/render/gateway/settings.ts';
import { fieldPathOf } from '../../core/structure/place.ts';
import { ApiError, isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import { connect, type Connection } from './connect.ts';
import type { Subject } from './judging.ts';
import type { ClusterFlags } from './options.ts';
import { ownPod } from './own-pod.ts';
import { OwnRights } from './own-rights.ts';

/** What the API server says, of which no rule of ours speaks. */
const RULE = 'server';
/** What pods take from an installation: only names, which nobody judges. */
const POD_SETTINGS = { installation: DEFAULT_SETTINGS.installation, gateway: DEFAULT_GATEWAY_SETTINGS };
const FIELD_MANAGER = 'daskwarden-check';
const NAMESPACE = FieldPath.of('metadata', 'namespace');

/** Asks an API server whether it would take clusters and their pods. Nothing is created: every call is a dry run. */
export class ServerCheck implements AsyncDisposable {
  private readonly connection: Connection;
  private readonly rights: OwnRights;
  private readonly unasked = new Set<string>();

  constructor(connection: Connection) {
    this.connection = connection;
    this.rights = new OwnRights(connection.client);
  }

  static async connect(
    flags: ClusterFlags,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<ServerCheck> {
    return new ServerCheck(await connect(flags, env));
  }

  /** @throws ApiError, TransportError where the server says nothing of the object */
  async findings(subject: Subject): Promise<readonly Finding[]> {
    const ofCluster = await this.ofCluster(subject);
    // Without a namespace nothing else can be said.
    if (ofCluster.some(({ path }) => path === NAMESPACE)) return ofCluster;
    return [...ofCluster, ...(await this.ofPods(subject))];
  }

  /** What could not be asked, and why. */
  notes(): readonly string[] {
    return [...this.unasked];
  }

  private async ofCluster({ object, namespace, name }: Subject): Promise<readonly Finding[]> {
    if (!(await this.mayAsk(DASK_CLUSTERS, namespace))) return [];
    const { client } = this.connection;
    const body = object as KubeObject;
    const options = { dryRun: true, fieldManager: FIELD_MANAGER };
    try {
      await client.create(DASK_CLUSTERS, { namespace }, body, options);
      return [];
    } catch (error) {
      if (!isAlreadyExists(error)) return this.refusal(error, object, namespace);
    }
    try {
      await client.patch(DASK_CLUSTERS, { namespace, name }, { type: 'apply', body, force: true }, options);
      return [];
    } catch (error) {
      return this.refusal(error, object, namespace);
    }
  }

  private async ofPods({ sound, namespace }: Subject): Promise<readonly Finding[]> {
    if (!(await this.mayAsk(PODS, namespace))) return [];
    const findings = await Promise.all(
      podsOf(sound, POD_SETTINGS).map((judged) => this.ofPod(judged, namespace)),
    );
    return findings.flat();
  }

  private async ofPod(judged: JudgedPod, namespace: string): Promise<readonly Finding[]> {
    try {
      await this.connection.client.create(PODS, { namespace }, ownPod(judged.pod, namespace), {
        dryRun: true,
        fieldManager: FIELD_MANAGER,
      });
      return [];
    } catch (error) {
      const refusal = refusalOf(error);
      const { reason, details = {} } = refusal;
      return findingsOfRefusal(judged, { message: messageOf(refusal), reason, details });
    }
  }

  private async mayAsk(resource: Resource, namespace: string): Promise<boolean> {
    const may = await this.rights.mayCreate(resource, namespace);
    if (!may) {
      this.unasked.add(
        `you may not create ${resource.plural} in namespace '${namespace}', which a dry run needs too: ` +
          `the API server was not asked about them; have the right given to you, or leave out --server`,
      );
    }
    return may;
  }

  private refusal(error: unknown, object: unknown, namespace: string): readonly Finding[] {
    const { details = {} } = refusalOf(error);
    if (isNotFound(error)) {
      if (details.kind === 'namespaces') {
        return [found(NAMESPACE, `there is no namespace '${namespace}' in the cluster; create it first`)];
      }
      this.unasked.add(
        "the cluster knows no DaskClusters: install daskwarden's CustomResourceDefinition first",
      );
      return [];
    }
    const told = (details.causes ?? []).flatMap(({ field, message = '', reason }) =>
      field ? [found(fieldPathOf(object, segmentsOfPodField(field)), message, reason as CauseReason)] : [],
    );
    return told.length > 0 ? told : [found(FieldPath.of('spec'), messageOf(refusalOf(error)))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
  }
}

function found(path: FieldPath, message: string, reason: CauseReason = 'FieldValueInvalid'): Finding {
  return { level: 'error', rule: RULE, path, reason, message, value: undefined };
}

/** @throws what is no verdict: nobody answered, the server is at fault, or does not know who asks */
function refusalOf(error: unknown): ApiError {
  if (!(error instanceof ApiError) || error.code >= 500 || error.code === 401 || error.code === 429)
    throw error;
  return error;
}

/** Without the call, which says nothing to whoever wrote the manifest. */
function messageOf({ message, call }: ApiError): string {
  return message.replace(`${call.method} ${call.path}: `, '');
}
