import { SECRETS, type Secret } from '../api/kubernetes.ts';
import type { DaskCluster } from '../api/dask-cluster.ts';
import {
  API_TOKEN_KEY,
  CERTIFICATE_KEY,
  CONTROLLER_FIELD_MANAGER,
  credentialsSecretName,
  PRIVATE_KEY_KEY,
} from '../api/names.ts';
import type { CredentialsState } from '../core/plan/observed.ts';
import { childLabels, type Installation } from '../core/render/labels.ts';
import { identityOf, isControlledBy, ownerReference, type Identity } from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../kube/errors.ts';
import { createClusterCredentials } from '../pki/cluster-credentials.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock } from '../platform/clock.ts';

/** Secrets are never listed or watched: each is looked up by its name, and not more often than this. */
export const LOOK_UP_INTERVAL_MS = 600_000;
const CONFLICT_INTERVAL_MS = 30_000;

type Data = Readonly<Record<string, string>>;

interface Entry {
  readonly state: 'present' | 'lost' | 'foreign';
  readonly secretUid: string | undefined;
  /** What is stored, so that a deleted Secret can be put back as it was: a new key would lock out what runs. */
  readonly data: Data | undefined;
  /** Monotonic milliseconds. */
  readonly lookedUpAt: number;
}

interface Dependencies {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly installation: Installation;
}

/** Makes, remembers, restores and removes the one Secret of each cluster. */
export class CredentialsLedger {
  private readonly entries = new Map<string, Entry>();
  private readonly deps: Dependencies;

  constructor(deps: Dependencies) {
    this.deps = deps;
  }

  /** How the cluster's Secret stands; asks the API server where the last answer is too old. */
  async stateOf(cluster: DaskCluster, signal: AbortSignal): Promise<CredentialsState> {
    const owner = identityOf(cluster);
    const entry = this.entries.get(owner.uid);
    if (entry === undefined && cluster.status?.credentials === undefined) return { kind: 'absent' };
    const known = entry !== undefined && this.isFresh(entry) ? entry : await this.lookUp(owner, signal);
    return known.state === 'lost'
      ? { kind: 'lost', restorable: known.data !== undefined }
      : { kind: known.state };
  }

  /** Makes new credentials, or takes over those that an earlier process made for this very cluster. */
  async create(cluster: DaskCluster, signal: AbortSignal): Promise<void> {
    const { clock, randomBytes } = this.deps;
    const owner = identityOf(cluster);
    const made = await createClusterCredentials({ cluster: owner.name, nowMs: clock.now(), randomBytes });
    await this.store(owner, encode(made), signal);
  }

  /** Puts back the bytes that were stored before. */
  async restore(cluster: DaskCluster, signal: AbortSignal): Promise<void> {
    const owner = identityOf(cluster);
    const data = this.entries.get(owner.uid)?.data;
    if (data === undefined)
      throw new Error(`Secret ${credentialsSecretName(owner.name)}: its bytes are not known`);
    await this.store(owner, data, signal);
  }

  /** Removes the cluster's own Secret; somebody else's is left alone. */
  async delete(cluster: DaskCluster, signal: AbortSignal): Promise<void> {
    const owner = identityOf(cluster);
    const name = credentialsSecretName(owner.name);
    const { state, secretUid } = this.entries.get(owner.uid) ?? (await this.lookUp(owner, signal));
    if (state === 'present' && secretUid !== undefined) {
      try {
        await this.deps.client.delete(
          SECRETS,
          { namespace: owner.namespace, name },
          { uid: secretUid, signal },
        );
      } catch (error) {
        // Gone already, or followed by another one of the same name.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
    this.entries.delete(owner.uid);
  }

  /** Drops what is remembered of a cluster that is gone. */
  forget(uid: string): void {
    this.entries.delete(uid);
  }

  private isFresh({ state, lookedUpAt }: Entry): boolean {
    const age = this.deps.clock.monotonic() - lookedUpAt;
    return age < (state === 'foreign' ? CONFLICT_INTERVAL_MS : LOOK_UP_INTERVAL_MS);
  }

  private async store(owner: Identity, data: Data, signal: AbortSignal): Promise<void> {
    const at = { namespace: owner.namespace };
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: credentialsSecretName(owner.name),
        namespace: owner.namespace,
        labels: childLabels(this.deps.installation, owner.name, 'credentials'),
        ownerReferences: [ownerReference(owner)],
      },
      type: 'Opaque',
      data,
    };
    try {
      const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
      const stored = await this.deps.client.create<Secret>(SECRETS, at, secret, options);
      this.remember(owner, { state: 'present', secretUid: stored.metadata.uid, data });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.lookUp(owner, signal);
    }
  }

  private async lookUp(owner: Identity, signal: AbortSignal): Promise<Entry> {
    const at = { namespace: owner.namespace, name: credentialsSecretName(owner.name) };
    try {
      const secret = await this.deps.client.get<Secret>(SECRETS, at, { signal });
      const ours = isControlledBy(secret, owner.uid);
      return this.remember(owner, {
        state: ours ? 'present' : 'foreign',
        secretUid: secret.metadata.uid,
        data: ours ? secret.data : undefined,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const data = this.entries.get(owner.uid)?.data;
      return this.remember(owner, { state: 'lost', secretUid: undefined, data });
    }
  }

  private remember(owner: Identity, entry: Omit<Entry, 'lookedUpAt'>): Entry {
    const remembered = { ...entry, lookedUpAt: this.deps.clock.monotonic() };
    this.entries.set(owner.uid, remembered);
    return remembered;
  }
}

function encode({
  certificatePem,
  privateKeyPem,
  apiToken,
}: {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly apiToken: string;
}): Data {
  return {
    [CERTIFICATE_KEY]: base64(certificatePem),
    [PRIVATE_KEY_KEY]: base64(privateKeyPem),
    [API_TOKEN_KEY]: base64(apiToken),
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
