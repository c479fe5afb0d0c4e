import { describe, expect, test } from 'vitest';
import { EVENTS, PODS, VALIDATING_WEBHOOKS } from '../../../src/api/kubernetes.ts';
import { queryString, resourcePath } from '../../../src/kube/resource-path.ts';

describe('resourcePath', () => {
  test.each([
    [PODS, {}, '/api/v1/pods'],
    [PODS, { namespace: 'ns' }, '/api/v1/namespaces/ns/pods'],
    [PODS, { namespace: 'ns', name: 'p', subresource: 'status' }, '/api/v1/namespaces/ns/pods/p/status'],
    [EVENTS, { namespace: 'ns', name: 'e' }, '/apis/events.k8s.io/v1/namespaces/ns/events/e'],
    [
      VALIDATING_WEBHOOKS,
      { namespace: 'ignored', name: 'system:x' },
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/system%3Ax',
    ],
  ])('%o at %o', (resource, address, path) => {
    expect(resourcePath(resource, address)).toBe(path);
  });

  test.each(['', '.', '..', 'a/b', '%2e%2e', '../../secrets'])('a name cannot lead elsewhere: %j', (name) => {
    expect(() => resourcePath(PODS, { namespace: 'ns', name })).toThrow(RangeError);
    expect(() => resourcePath(PODS, { namespace: name, name: 'p' })).toThrow(RangeError);
  });

  test('an object of a namespaced resource needs its namespace', () => {
    expect(() => resourcePath(PODS, { name: 'p' })).toThrow(
      'Pod p: namespace: must be given, pods are namespaced',
    );
  });
});

test('queryString leaves out what is absent, and escapes', () => {
  expect(queryString({ a: undefined })).toBe('');
  expect(queryString({ a: undefined, b: 'x=y&z', c: 0, d: false })).toBe('?b=x%3Dy%26z&c=0&d=false');
});
