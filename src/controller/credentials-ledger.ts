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
import {
  identityOf,
  isControlledBy,
  isOfPredecessor,
  ownerReference,
  type Identity,
} from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../kube/errors.ts';
import { createClusterCredentials } from '../pki/cluster-credentials.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock } from '../platform/clock.ts';
import { NameStillTaken } from './name-still-taken.ts';

/** Secrets are never listed or watched: each is looked up by its name, and not more often than this. */
export const LOOK_UP_INTERVAL_MS = 600_000;
/** For one that is in the way: it is waited for. */
const OBSTACLE_INTERVAL_MS = 1_000;

type Data = Readonly<Record<string, string>>;

interface Entry {
  readonly state: 'present' | 'missing' | 'removed' | 'leftover' | 'foreign';
  readonly secretUid: string | undefined;
  /** What was stored, so that a deleted Secret can be put back as it was: a new key would lock out what runs. */
  readonly data: Data | undefined;
  /** Monotonic milliseconds. */
  readonly lookedUpAt: number;
}

interface Dependencies {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'delete'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly installation: Installation;
  /** Of certificates that are made from now on. */
  readonly validityMs: () => number;
}

/** Makes, remembers, restores and removes the one Secret of each cluster. */
export class CredentialsLedger {
  private readonly entries = new Map<string, Entry>();
  private readonly deps: Dependencies;

  constructor(deps: Dependencies) {
    this.deps = deps;
  }

  /**
   * How the cluster's Secret stands; asks the API server where the last answer is too old.
   * @param maxAgeMs of an answer that is still believed
   */
  async stateOf(
    cluster: DaskCluster,
    signal: AbortSignal,
    maxAgeMs = LOOK_UP_INTERVAL_MS,
  ): Promise<CredentialsState> {
    const owner = identityOf(cluster);
    const entry = this.entries.get(owner.uid);
    // Only of a Secret that was there its absence is a loss; and none, where we removed it ourselves.
    const wasThere = entry?.data !== undefined || cluster.status?.credentials !== undefined;
    if (entry?.state === 'removed' || (entry === undefined && !wasThere)) return { kind: 'absent' };
    const isFresh = entry !== undefined && this.ageOf(entry) < this.believedMs(entry, maxAgeMs);
    const known = isFresh ? entry : await this.lookUp(owner, signal);
    if (known.state === 'present' || known.state === 'leftover' || known.state === 'foreign')
      return { kind: known.state };
    return wasThere ? { kind: 'lost', restorable: known.data !== undefined } : { kind: 'absent' };
  }

  /**
   * Makes new credentials, or takes over those that an earlier process made for this very cluster.
   * @throws NameStillTaken where the name is somebody else's
   */
  async create(cluster: DaskCluster, signal: AbortSignal): Promise<void> {
    const { clock, randomBytes, validityMs } = this.deps;
    const owner = identityOf(cluster);
    const made = await createClusterCredentials({
      cluster: owner.name,
      nowMs: clock.now(),
      validityMs: validityMs(),
      randomBytes,
    });
    await this.store(owner, encode(made), signal);
  }

  /** Puts back the bytes that were stored before. @throws NameStillTaken where the name is somebody else's by now */
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
    this.remember(owner, { state: 'removed', secretUid: undefined, data: undefined });
  }

  /** Drops what is remembered of a cluster that is gone. */
  forget(uid: string): void {
    this.entries.delete(uid);
  }

  private ageOf({ lookedUpAt }: Entry): number {
    return this.deps.clock.monotonic() - lookedUpAt;
  }

  private believedMs({ state }: Entry, maxAgeMs: number): number {
    return state === 'foreign' || state === 'leftover' ? Math.min(OBSTACLE_INTERVAL_MS, maxAgeMs) : maxAgeMs;
  }

  private async store(owner: Identity, data: Data, signal: AbortSignal): Promise<void> {
    const at = { namespace: owner.namespace, name: credentialsSecretName(owner.name) };
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        ...at,
        labels: childLabels(this.deps.installation, owner.name, 'credentials'),
        ownerReferences: [ownerReference(owner)],
      },
      type: 'Opaque',
      data,
    };
    try {
      const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
      const stored = await this.deps.client.create<Secret>(
        SECRETS,
        { namespace: at.namespace },
        secret,
        options,
      );
      this.remember(owner, { state: 'present', secretUid: stored.metadata.uid, data });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { state } = await this.lookUp(owner, signal);
      if (state !== 'present') {
        throw new NameStillTaken(`Secret ${owner.namespace}/${at.name} exists already`, { cause: error });
      }
    }
  }

  private async lookUp(owner: Identity, signal: AbortSignal): Promise<Entry> {
    const at = { namespace: owner.namespace, name: credentialsSecretName(owner.name) };
    const data = this.entries.get(owner.uid)?.data;
    try {
      const secret = await this.deps.client.get<Secret>(SECRETS, at, { signal });
      const secretUid = secret.metadata.uid;
      if (isControlledBy(secret, owner.uid))
        return this.remember(owner, { state: 'present', secretUid, data: secret.data });
      const state = isOfPredecessor(secret, owner) ? 'leftover' : 'foreign';
      return this.remember(owner, { state, secretUid, data });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return this.remember(owner, { state: 'missing', secretUid: undefined, data });
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
