import { expect, test } from 'vitest';
import { childEnvironment, withoutProxyForLoopback } from '../../../src/control-plane/child-environment.ts';

const ALWAYS = '127.0.0.1,localhost,::1,.svc,.cluster.local';

test('a child gets another home, the proxies, and nothing of the user’s Kubernetes settings', () => {
  const env = {
    HOME: '/home/me',
    PATH: '/bin',
    KUBECONFIG: '/home/me/.kube/config',
    KUBE_EDITOR: 'vi',
    HTTPS_PROXY: 'http://proxy.test:3128',
    no_proxy: 'corp.test',
  };
  expect(childEnvironment(env, '/tmp/plane/home')).toEqual({
    HOME: '/tmp/plane/home',
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy.test:3128',
    NO_PROXY: `corp.test,${ALWAYS}`,
    no_proxy: `corp.test,${ALWAYS}`,
  });
});

test.for([
  [{}, ALWAYS],
  [{ NO_PROXY: 'a.test, b.test', no_proxy: 'b.test,c.test' }, `a.test,b.test,c.test,${ALWAYS}`],
  [{ NO_PROXY: 'localhost,' }, 'localhost,127.0.0.1,::1,.svc,.cluster.local'],
] as const)('%o becomes NO_PROXY=%s', ([env, expected]) => {
  expect(withoutProxyForLoopback(env)).toEqual({ NO_PROXY: expected, no_proxy: expected });
});
