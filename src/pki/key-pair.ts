import { generateKeyPair as generateKeyPairCallback, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPairCallback);

/** `P-256` takes 0.1 ms to make, `RSA-2048` some 100 ms to 500 ms (in the thread pool). */
export type KeyType = 'P-256' | 'RSA-2048';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export async function generateKeyPair(type: KeyType): Promise<KeyPair> {
  switch (type) {
    case 'P-256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'RSA-2048':
      return generate('rsa', { modulusLength: 2048 });
  }
}

/** The private key as unencrypted PKCS#8 PEM. */
export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
