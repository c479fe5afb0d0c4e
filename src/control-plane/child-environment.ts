/** What a Kubernetes component may see of our environment; a user's KUBECONFIG or KUBE_* never reaches it. */
const PASSED_ON = [
  'PATH',
  'TMPDIR',
  'TZ',
  'LANG',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
] as const;

/** Hosts that are on this machine, and the names under which the API server calls services. */
const NEVER_PROXIED = ['127.0.0.1', 'localhost', '::1', '.svc', '.cluster.local'] as const;

/**
 * The environment of a child that talks only to loopback.
 * @param home a folder that the child may fill; the real home folder stays untouched.
 */
export function childEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const child: NodeJS.ProcessEnv = { HOME: home };
  for (const name of PASSED_ON) {
    if (env[name] !== undefined) child[name] = env[name];
  }
  return { ...child, ...withoutProxyForLoopback(env) };
}

/** NO_PROXY in both spellings (Go reads the first, Python the second), with loopback and services added. */
export function withoutProxyForLoopback(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const listed = [env['NO_PROXY'], env['no_proxy']]
    .flatMap((value) => value?.split(',') ?? [])
    .map((host) => host.trim())
    .filter((host) => host !== '');
  const hosts = [...new Set([...listed, ...NEVER_PROXIED])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
