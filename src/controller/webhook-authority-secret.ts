import { SECRETS, type Secret } from '../api/kubernetes.ts';
import { CONTROLLER_FIELD_MANAGER, WEBHOOK_AUTHORITY_SECRET } from '../api/names.ts';
import type { KubeClient } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';
import type { Authority } from '../pki/authority.ts';
import type { StoredAuthorities } from '../pki/authority-rotation.ts';

/** The keys `tls.crt` and `tls.key` are what replicas issue from; the others are the controller's own notes. */
const SWITCHED_AT = 'switched-at';
const PREVIOUS = 'previous.crt';

type Data = Readonly<Record<string, string>>;

/** The Secret as it was read, and what is in it. */
export interface FoundAuthorities {
  readonly resourceVersion: string | undefined;
  readonly stored: StoredAuthorities;
}

/** The one Secret that the webhooks' authorities are kept in. Whatever is in it is read without complaint. */
export class AuthoritySecret {
  private readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  private readonly namespace: string;

  constructor(client: Pick<KubeClient, 'get' | 'create' | 'patch'>, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  async read(signal: AbortSignal): Promise<FoundAuthorities | undefined> {
    const at = { namespace: this.namespace, name: WEBHOOK_AUTHORITY_SECRET };
    try {
      const { metadata, data = {} } = await this.client.get<Secret>(SECRETS, at, { signal });
      return { resourceVersion: metadata.resourceVersion, stored: decode(data) };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** @throws ApiError of a conflict where it is not as it was found any more, or there already */
  async write(
    found: FoundAuthorities | undefined,
    state: StoredAuthorities,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, namespace } = this;
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    const metadata = { name: WEBHOOK_AUTHORITY_SECRET, namespace };
    if (found === undefined) {
      const type = 'kubernetes.io/tls';
      const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata, type, data: encode(state) };
      await client.create<Secret>(SECRETS, { namespace }, secret, options);
      return;
    }
    const unset = { 'next.crt': null, 'next.key': null, [PREVIOUS]: null, [SWITCHED_AT]: null };
    const { resourceVersion } = found;
    const body = { metadata: { resourceVersion }, data: { ...unset, ...encode(state) } };
    await client.patch(SECRETS, metadata, { type: 'merge', body }, options);
  }
}

function decode(data: Data): StoredAuthorities {
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const authority = (name: string): Authority | undefined => {
    const [certificatePem, privateKeyPem] = [text(`${name}.crt`), text(`${name}.key`)];
    return certificatePem === '' && privateKeyPem === '' ? undefined : { certificatePem, privateKeyPem };
  };
  const switchedAtMs = Date.parse(text(SWITCHED_AT));
  return {
    signing: authority('tls'),
    next: authority('next'),
    previousPem: text(PREVIOUS),
    switchedAtMs: Number.isNaN(switchedAtMs) ? undefined : switchedAtMs,
  };
}

function encode({ signing, next, previousPem, switchedAtMs }: StoredAuthorities): Data {
  const pair = (name: string, authority: Authority): Data => ({
    [`${name}.crt`]: base64(authority.certificatePem),
    [`${name}.key`]: base64(authority.privateKeyPem),
  });
  return {
    // A Secret of this type must have both keys, empty ones too.
    ...pair('tls', signing ?? { certificatePem: '', privateKeyPem: '' }),
    ...(next === undefined ? {} : pair('next', next)),
    ...(previousPem === '' ? {} : { [PREVIOUS]: base64(previousPem) }),
    ...(switchedAtMs === undefined ? {} : { [SWITCHED_AT]: base64(new Date(switchedAtMs).toISOString()) }),
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
