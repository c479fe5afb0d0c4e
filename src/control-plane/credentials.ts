import { generateKeyPair, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The users that the API server knows from its start, each with the rights that Kubernetes' own roles give it. */
const IDENTITIES = {
  admin: { user: 'admin', groups: ['system:masters'] },
  controllerManager: { user: 'system:kube-controller-manager', groups: [] },
  scheduler: { user: 'system:kube-scheduler', groups: [] },
  // Plays the kubelets of all nodes, which no built-in role covers.
  kwok: { user: 'kwok', groups: ['system:masters'] },
} as const satisfies Record<string, Identity>;

export type IdentityName = keyof typeof IDENTITIES;

export interface Credentials {
  readonly tokens: Readonly<Record<IdentityName, string>>;
  readonly tokenFile: string;
  readonly serviceAccountKeyFile: string;
}

/** Makes fresh tokens and the key that signs service account tokens, as files in `directory`, for the owner only. */
export async function writeCredentials(directory: string): Promise<Credentials> {
  const tokenFile = join(directory, 'tokens.csv');
  const serviceAccountKeyFile = join(directory, 'service-account.pem');
  const names = Object.keys(IDENTITIES) as IdentityName[];
  const tokens = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('hex')])) as Record<
    IdentityName,
    string
  >;
  const lines = names.map((name) => {
    const { user, groups } = IDENTITIES[name];
    return `${tokens[name]},${user},${user},"${groups.join(',')}"\n`;
  });
  const { privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  await Promise.all([
    writeFile(tokenFile, lines.join(''), { mode: 0o600 }),
    writeFile(serviceAccountKeyFile, privateKey, { mode: 0o600 }),
  ]);
  return { tokens, tokenFile, serviceAccountKeyFile };
}

export function userOf(identity: IdentityName): string {
  return IDENTITIES[identity].user;
}
