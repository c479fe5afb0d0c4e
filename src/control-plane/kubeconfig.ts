export interface KubeconfigParts {
  /** URL of the API server. */
  readonly server: string;
  /** PEM of the certificate authority that signed the API server's certificate. */
  readonly caPem: string;
  readonly user: string;
  readonly token: string;
}

/**
 * A kubeconfig as JSON, which every reader of kubeconfigs takes for YAML. All data is embedded: the file may be
 * copied anywhere.
 */
export function kubeconfig(parts: KubeconfigParts): string {
  const name = 'daskwarden';
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: parts.server,
          'certificate-authority-data': Buffer.from(parts.caPem).toString('base64'),
        },
      },
    ],
    users: [{ name: parts.user, user: { token: parts.token } }],
    contexts: [{ name, context: { cluster: name, user: parts.user } }],
    'current-context': name,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
