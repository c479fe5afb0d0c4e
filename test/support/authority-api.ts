import type { KubeObject, Resource, Secret } from '../../src/api/kubernetes.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { JsonPatchOperation } from '../../src/core/json-patch.ts';
import type { Patch } from '../../src/kube/patch.ts';
import { applyJsonPatch } from './json-patch.ts';

export const SECRET = 'secrets/daskwarden-webhook-ca';
export const MUTATING = 'mutatingwebhookconfigurations/daskwarden';
export const VALIDATING = 'validatingwebhookconfigurations/daskwarden';

/** The API server as the keeper of the webhooks' authority sees it: objects by `<plural>/<name>`. */
export class AuthorityApi {
  readonly objects = new Map<string, KubeObject>();
  readonly writes: string[] = [];
  /** Called before each write, and after it; what it throws the caller gets instead of the answer. */
  beforeWrite: (key: string) => void = () => undefined;
  afterWrite: (key: string) => void = () => undefined;
  private version = 0;

  get<T extends KubeObject>({ plural }: Resource, { name }: { name: string }): Promise<T> {
    const object = this.objects.get(`${plural}/${name}`);
    return object === undefined ? refusal(404, 'NotFound') : Promise.resolve(object as T);
  }

  async create<T extends object, Answer = T>(resource: Resource, _at: object, made: T): Promise<Answer> {
    const object = made as unknown as KubeObject;
    const key = `${resource.plural}/${object.metadata.name ?? ''}`;
    this.beforeWrite(key);
    if (this.objects.has(key)) return refusal(409, 'AlreadyExists');
    this.writes.push(`create ${key}`);
    this.put(key, object);
    this.afterWrite(key);
    return Promise.resolve(object as unknown as Answer);
  }

  async patch<T extends KubeObject>(resource: Resource, at: { name: string }, patch: Patch): Promise<T> {
    const key = `${resource.plural}/${at.name}`;
    this.beforeWrite(key);
    const object = await this.get<T>(resource, at);
    if (patch.type === 'json') {
      this.writes.push(`patch ${key} ${patch.operations.map(({ path }) => path).join()}`);
      this.put(key, applyJsonPatch(object, patch.operations as readonly JsonPatchOperation[]));
    } else {
      const { metadata, data } = patch.body as Pick<KubeObject, 'metadata'> & {
        readonly data: Readonly<Record<string, string | null>>;
      };
      if (metadata.resourceVersion !== object.metadata.resourceVersion) return refusal(409, 'Conflict');
      this.writes.push(`patch ${key}`);
      const merged = { ...(object as KubeObject as Secret).data, ...data };
      const kept = Object.entries(merged).filter(([, value]) => value !== null);
      const changed: KubeObject & { readonly data: object } = { ...object, data: Object.fromEntries(kept) };
      this.put(key, changed);
    }
    this.afterWrite(key);
    return object;
  }

  /** A registration with a webhook for each of these bundles. */
  install(key: string, ...bundles: (string | undefined)[]): void {
    const webhooks = bundles.map((caBundle, index) => ({
      name: String(index),
      clientConfig: caBundle === undefined ? {} : { caBundle },
    }));
    this.put(key, { metadata: { name: 'daskwarden' }, webhooks } as KubeObject);
  }

  put(key: string, object: KubeObject): void {
    this.version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.version) };
    this.objects.set(key, { ...object, metadata });
  }

  /** What each webhook of a registration trusts, decoded. */
  bundles(key: string): (string | undefined)[] {
    const { webhooks } = this.objects.get(key) as unknown as {
      webhooks: readonly { clientConfig: { caBundle?: string } }[];
    };
    return webhooks.map(({ clientConfig: { caBundle } }) =>
      caBundle === undefined ? undefined : text(caBundle),
    );
  }

  /** Decoded, by key; empty where there is no Secret. */
  get secret(): Readonly<Record<string, string>> {
    const { data = {} } = (this.objects.get(SECRET) ?? {}) as Partial<Secret>;
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, text(value)]));
  }

  set secret(entries: Readonly<Record<string, string>>) {
    const encoded = Object.entries(entries).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const data = Object.fromEntries(encoded) as Readonly<Record<string, string>>;
    const secret: Secret = { metadata: { name: 'daskwarden-webhook-ca', namespace: 'dask' }, data };
    this.put(SECRET, secret);
  }
}

function text(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function refusal<T>(code: number, reason: string): Promise<T> {
  return Promise.reject(new ApiError({ method: 'GET', path: '/' }, code, { reason }));
}
