import { randomBytes, X509Certificate } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KubeObject, Resource, Secret } from '../../../src/api/kubernetes.ts';
import { ensureWebhookAuthority, keepWebhookAuthority } from '../../../src/controller/webhook-authority.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { Patch } from '../../../src/kube/patch.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { recordedLog } from '../kube/recorded-log.ts';

const { signal } = new AbortController();
const SECRET = 'secrets/daskwarden-webhook-ca';
const MUTATING = 'mutatingwebhookconfigurations/daskwarden';
const VALIDATING = 'validatingwebhookconfigurations/daskwarden';

/** Objects by `<plural>/<name>`, and the writes to them. */
class FakeApi {
  readonly objects = new Map<string, KubeObject>();
  readonly writes: string[] = [];
  /** Called before a create, for what somebody else does meanwhile. */
  beforeCreate = (): void => undefined;

  get<T extends KubeObject>({ plural }: Resource, { name }: { name: string }): Promise<T> {
    const object = this.objects.get(`${plural}/${name}`);
    return object === undefined ? refusal(404, 'NotFound') : Promise.resolve(object as T);
  }

  create<T extends object, Answer = T>({ plural }: Resource, _at: object, object: T): Promise<Answer> {
    this.beforeCreate();
    const key = `${plural}/${(object as unknown as KubeObject).metadata.name ?? ''}`;
    if (this.objects.has(key)) return refusal(409, 'AlreadyExists');
    this.writes.push(`create ${key}`);
    this.objects.set(key, object as unknown as KubeObject);
    return Promise.resolve(object as unknown as Answer);
  }

  async patch<T extends KubeObject>(resource: Resource, at: { name: string }, patch: Patch): Promise<T> {
    const key = `${resource.plural}/${at.name}`;
    const object = await this.get<T>(resource, at);
    if (patch.type !== 'json') throw new Error('only JSON patches are faked');
    this.writes.push(`patch ${key} ${patch.operations.map(({ path }) => path).join()}`);
    this.objects.set(key, applyJsonPatch(object, patch.operations as never));
    return object;
  }

  install(key: string, ...bundles: (string | undefined)[]): void {
    const webhooks = bundles.map((caBundle, index) => ({
      name: `w${index}`,
      clientConfig: { service: { name: 'hook' }, ...(caBundle !== undefined && { caBundle }) },
    }));
    this.objects.set(key, { metadata: { name: 'daskwarden' }, webhooks } as KubeObject);
  }

  bundles(key: string): readonly (string | undefined)[] {
    const { webhooks } = this.objects.get(key) as unknown as {
      webhooks: readonly { clientConfig: { caBundle?: string } }[];
    };
    return webhooks.map(({ clientConfig }) => clientConfig.caBundle);
  }

  get certificate(): string {
    return (this.objects.get(SECRET) as Secret | undefined)?.data?.['tls.crt'] ?? '';
  }
}

function refusal<T>(code: number, reason: string): Promise<T> {
  return Promise.reject(new ApiError({ method: 'GET', path: '/' }, code, { reason }));
}

function dependencies(client: FakeApi) {
  const { log, lines } = recordedLog();
  return { client, namespace: 'dask', clock: new SteppedClock(Date.now()), randomBytes, log, lines };
}

describe('ensureWebhookAuthority', () => {
  it('makes the authority and sets it as the caBundle of every webhook', async () => {
    const api = new FakeApi();
    api.install(MUTATING, undefined, undefined);
    api.install(VALIDATING, undefined, '');
    expect(await ensureWebhookAuthority(dependencies(api), signal)).toBe(true);
    const certificate = new X509Certificate(Buffer.from(api.certificate, 'base64'));
    expect(certificate.ca).toBe(true);
    expect(api.bundles(MUTATING)).toEqual([api.certificate, api.certificate]);
    expect(api.bundles(VALIDATING)).toEqual([api.certificate, api.certificate]);
  });

  it('writes nothing where all is as it should be', async () => {
    const api = new FakeApi();
    api.install(MUTATING, undefined);
    api.install(VALIDATING, undefined);
    await ensureWebhookAuthority(dependencies(api), signal);
    const { length } = api.writes;
    expect(await ensureWebhookAuthority(dependencies(api), signal)).toBe(true);
    expect(api.writes).toHaveLength(length);
  });

  it('writes only where the bundle differs', async () => {
    const api = new FakeApi();
    api.install(MUTATING, undefined);
    api.install(VALIDATING, undefined);
    await ensureWebhookAuthority(dependencies(api), signal);
    api.install(VALIDATING, api.certificate, 'b2xk', api.certificate);
    api.writes.length = 0;
    await ensureWebhookAuthority(dependencies(api), signal);
    expect(api.writes).toEqual([`patch ${VALIDATING} /webhooks/1/clientConfig/caBundle`]);
  });

  it('takes the authority of another replica that was faster', async () => {
    const [api, other] = [new FakeApi(), new FakeApi()];
    api.install(MUTATING, undefined);
    api.install(VALIDATING, undefined);
    await ensureWebhookAuthority(dependencies(other), signal);
    api.beforeCreate = () => {
      api.objects.set(SECRET, other.objects.get(SECRET)!);
    };
    await ensureWebhookAuthority(dependencies(api), signal);
    expect(api.bundles(MUTATING)).toEqual([other.certificate]);
  });

  it('tells whether a registration is missing, and serves the other one', async () => {
    const api = new FakeApi();
    api.install(VALIDATING, undefined);
    expect(await ensureWebhookAuthority(dependencies(api), signal)).toBe(false);
    expect(api.bundles(VALIDATING)).toEqual([api.certificate]);
  });

  it('refuses a Secret that is something else, and leaves it', async () => {
    const api = new FakeApi();
    api.objects.set(SECRET, { metadata: { name: 'daskwarden-webhook-ca' } });
    await expect(ensureWebhookAuthority(dependencies(api), signal)).rejects.toThrow(
      'Secret dask/daskwarden-webhook-ca: has no key tls.crt; delete it to have it made anew',
    );
    expect(api.writes).toEqual([]);
  });
});

describe('keepWebhookAuthority', () => {
  function keeping(api: FakeApi) {
    const deps = dependencies(api);
    const ending = new AbortController();
    const run = keepWebhookAuthority(deps, ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await run;
    });
    return deps;
  }

  it('looks again soon while a registration is missing, later every ten minutes', async () => {
    const api = new FakeApi();
    api.install(MUTATING, undefined);
    const { clock } = keeping(api);
    expect(await clock.asleep()).toBe(2_000);
    api.install(VALIDATING, undefined);
    expect(await clock.step(2_000)).toBe(600_000);
    api.install(VALIDATING, undefined);
    await clock.step(600_000);
    expect(api.bundles(VALIDATING)).toEqual([api.certificate]);
  });

  it('tries again after an error, and tells it once', async () => {
    const api = new FakeApi();
    api.objects.set(SECRET, { metadata: { name: 'daskwarden-webhook-ca' } });
    const { clock, lines } = keeping(api);
    expect(await clock.asleep()).toBe(1_000);
    expect(await clock.step(1_000)).toBe(1_000);
    expect(lines).toMatchObject([{ level: 'warn' }]);
    api.objects.delete(SECRET);
    await clock.step(1_000);
    expect(api.certificate).not.toBe('');
  });
});
