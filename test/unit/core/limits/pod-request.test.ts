import { describe, expect, test } from 'vitest';
import { podRequest } from '../../../../src/core/limits/pod-request.ts';
import { parseQuantity } from '../../../../src/core/quantity.ts';

const cpu = (amount: unknown): object => ({ resources: { requests: { cpu: amount } } });
const cpuLimit = (amount: unknown): object => ({ resources: { limits: { cpu: amount } } });

function coresOf(spec: unknown): bigint {
  return podRequest(spec).cores;
}

describe('what a pod requests', () => {
  test.each([
    ['nothing', {}, '0'],
    ['its containers together', { containers: [cpu('500m'), cpu(1)] }, '1.5'],
    ['a limit where there is no request', { containers: [cpuLimit('2'), cpu('1')] }, '3'],
    [
      'the request where there is a limit too',
      { containers: [{ resources: { requests: { cpu: '1' }, limits: { cpu: '4' } } }] },
      '1',
    ],
    ['an init container that takes more', { containers: [cpu('1')], initContainers: [cpu('3')] }, '3'],
    ['not an init container that takes less', { containers: [cpu('2')], initContainers: [cpu('1')] }, '2'],
    [
      'a sidecar beside the containers',
      { containers: [cpu('1')], initContainers: [{ ...cpu('2'), restartPolicy: 'Always' }] },
      '3',
    ],
    [
      'an init container beside the sidecars before it, not those after',
      {
        containers: [cpu('1')],
        initContainers: [
          { ...cpu('2'), restartPolicy: 'Always' },
          cpu('5'),
          { ...cpu('1'), restartPolicy: 'Always' },
        ],
      },
      '7',
    ],
    ['the overhead on top', { containers: [cpu('1')], overhead: { cpu: '250m' } }, '1.25'],
    [
      'what is said of the pod as a whole, and the overhead',
      { containers: [cpu('1')], resources: { requests: { cpu: '2' } }, overhead: { cpu: '1' } },
      '3',
    ],
    [
      "the containers' requests before the pod's limit",
      { containers: [cpu('1')], resources: { limits: { cpu: '8' } } },
      '1',
    ],
    [
      "the pod's limit where nothing is requested",
      { containers: [{}], resources: { limits: { cpu: '8' } } },
      '8',
    ],
    ['nothing for what is no quantity', { containers: [cpu('many'), cpu({}), null, 7] }, '0'],
    ['nothing for less than nothing', { containers: [cpu('-5'), cpu('1')] }, '1'],
    [
      'nothing for parts of another type',
      { containers: 'c', initContainers: {}, resources: [], overhead: 1 },
      '0',
    ],
  ])('is %s', (_, spec, expected) => {
    expect(coresOf(spec)).toBe(parseQuantity(expected));
  });

  test('counts memory exactly, in whatever unit it is written', () => {
    const memory = (amount: unknown): object => ({ resources: { requests: { memory: amount } } });
    const containers = [memory('1Gi'), memory('1G'), memory(5), memory('100m')];
    expect(podRequest({ containers })).toEqual({
      cores: 0n,
      memoryBytes: (2n ** 30n + 10n ** 9n + 5n) * 10n ** 9n + 10n ** 8n,
    });
  });

  test.each([undefined, null, 'pod', []])('is nothing for %j', (spec) => {
    expect(podRequest(spec)).toEqual({ cores: 0n, memoryBytes: 0n });
  });
});
