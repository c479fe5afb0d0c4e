import { describe, expect, it } from 'vitest';
import { webhookConfigurations } from '../../../webhooks/configurations.ts';
import { admissionHandlers } from '../../../webhooks/routes.ts';
import { anAdmissionContext } from '../../support/admission-context.ts';

const SERVICE = { name: 'hook', namespace: 'dask', port: 9443 };
const [mutating, validating] = webhookConfigurations(SERVICE);
const all = [...mutating.webhooks, ...validating.webhooks];
const GUARD = {
  name: 'guard.pods.daskwarden.dev',
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { ...SERVICE, path: '/validate/pods' } },
  sideEffects: 'None',
  timeoutSeconds: 5,
  matchPolicy: 'Equivalent',
  failurePolicy: 'Fail',
  objectSelector: { matchExpressions: [{ key: 'gateway.dask.org/cluster', operator: 'Exists' }] },
  rules: [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['pods'],
      operations: ['CREATE'],
      scope: 'Namespaced',
    },
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['pods', 'pods/status'],
      operations: ['UPDATE'],
      scope: 'Namespaced',
    },
  ],
  matchConditions: [
    {
      name: 'changes-labels',
      expression: 'oldObject == null || object.metadata.?labels != oldObject.metadata.?labels',
    },
  ],
};

function rulesOf(name: string): readonly string[] {
  const rules = all.find((webhook) => webhook.name === name)?.rules ?? [];
  return rules.flatMap(({ resources, operations }) =>
    operations.flatMap((operation) => resources.map((resource) => `${operation} ${resource}`)),
  );
}

describe('webhookConfigurations', () => {
  it('registers each half as what it is', () => {
    expect([mutating.kind, validating.kind]).toEqual([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  it('injects into pods as they are created, and once more where another webhook made one a client', () => {
    expect(rulesOf('inject.pods.daskwarden.dev')).toEqual(['CREATE pods']);
    expect(rulesOf('connect.pods.daskwarden.dev')).toEqual(['CREATE pods']);
    const again = all.filter(({ reinvocationPolicy }) => reinvocationPolicy === 'IfNeeded');
    expect(again.map(({ name }) => name)).toEqual(['connect.pods.daskwarden.dev']);
  });

  it('fails closed but for the mutation of clusters, which the validation makes up for', () => {
    expect(all.map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
      ['mutate.daskclusters.daskwarden.dev', 'Ignore'],
      ['inject.pods.daskwarden.dev', 'Fail'],
      ['connect.pods.daskwarden.dev', 'Fail'],
      ['validate.daskclusters.daskwarden.dev', 'Fail'],
      ['guard.pods.daskwarden.dev', 'Fail'],
      ['guard-connect.pods.daskwarden.dev', 'Fail'],
    ]);
    expect([mutating.metadata.name, validating.metadata.name]).toEqual(['daskwarden', 'daskwarden']);
  });

  it('is written as Kubernetes wants it', () => {
    expect(validating).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'daskwarden' },
      webhooks: [
        {
          name: 'validate.daskclusters.daskwarden.dev',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { ...SERVICE, path: '/validate/daskclusters' } },
          sideEffects: 'None',
          timeoutSeconds: 5,
          matchPolicy: 'Equivalent',
          failurePolicy: 'Fail',
          rules: [
            {
              apiGroups: ['gateway.dask.org'],
              apiVersions: ['v1alpha1'],
              resources: ['daskclusters', 'daskclusters/scale'],
              operations: ['CREATE', 'UPDATE'],
              scope: 'Namespaced',
            },
          ],
          matchConditions: [
            {
              name: 'changes-what-is-judged',
              expression:
                "request.?subResource.orValue('') == 'scale' || oldObject == null || object.spec != oldObject.spec || object.metadata.?annotations != oldObject.metadata.?annotations || object.metadata.?labels != oldObject.metadata.?labels",
            },
            {
              name: 'is-not-being-deleted',
              expression:
                "request.?subResource.orValue('') == 'scale' || !has(object.metadata.deletionTimestamp)",
            },
          ],
        },
        GUARD,
        {
          ...GUARD,
          name: 'guard-connect.pods.daskwarden.dev',
          clientConfig: { service: { ...SERVICE, path: '/validate/connecting-pods' } },
          objectSelector: { matchExpressions: [{ key: 'daskwarden.dev/connect', operator: 'Exists' }] },
        },
      ],
    });
  });

  it('leads each webhook to a path that is served, by the Service', () => {
    const paths = all.map(({ clientConfig }) => clientConfig.service.path);
    expect(paths.toSorted()).toEqual(Object.keys(admissionHandlers(anAdmissionContext())).toSorted());
    expect(all[0]?.clientConfig).toEqual({ service: { ...SERVICE, path: '/mutate/daskclusters' } });
  });

  it('leaves the caBundle to the controller', () => {
    expect(JSON.stringify(all)).not.toContain('caBundle');
  });

  it('never stands between an object and its end, nor in the way of a status', () => {
    const rules = all.flatMap(({ name }) => rulesOf(name));
    expect(rules.filter((rule) => rule.startsWith('DELETE') || rule.includes('*'))).toEqual([]);
    expect(rulesOf('validate.daskclusters.daskwarden.dev')).toEqual([
      'CREATE daskclusters',
      'CREATE daskclusters/scale',
      'UPDATE daskclusters',
      'UPDATE daskclusters/scale',
    ]);
  });

  it('guards the labels of pods on every way that they can be written', () => {
    expect(rulesOf('guard.pods.daskwarden.dev')).toEqual([
      'CREATE pods',
      'UPDATE pods',
      'UPDATE pods/status',
    ]);
    expect(rulesOf('inject.pods.daskwarden.dev')).toEqual(['CREATE pods']);
  });

  it('concerns no pod that is not labelled', () => {
    const selected = all
      .filter(({ name }) => name.includes('pods'))
      .map(({ objectSelector }) => JSON.stringify(objectSelector));
    const selector = (key: string): string =>
      JSON.stringify({ matchExpressions: [{ key, operator: 'Exists' }] });
    const [ofClusters, connecting] = [
      selector('gateway.dask.org/cluster'),
      selector('daskwarden.dev/connect'),
    ];
    expect(selected).toEqual([ofClusters, connecting, ofClusters, connecting]);
  });

  it('is for v1 reviews without side effects, within 5 s', () => {
    for (const webhook of all) {
      expect(webhook).toMatchObject({
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 5,
        matchPolicy: 'Equivalent',
      });
    }
  });
});
