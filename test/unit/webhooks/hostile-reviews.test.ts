import { describe, expect, it } from 'vitest';
import { admissionHandlers, PATHS } from '../../../webhooks/routes.ts';
import { anAdmissionContext } from '../../support/admission-context.ts';
import { MANIFESTS } from '../../support/manifests.ts';
import { aReviewBody } from './reviews.ts';
import { type Answer, runningServer } from './running-server.ts';

/** A review whose object is this text, put in as it is: no JSON writer would make some of them. */
function reviewOf(object: string): string {
  return JSON.stringify(aReviewBody({ object: '@' })).replace('"@"', () => object);
}

async function answersTo(object: string): Promise<readonly Answer[]> {
  const { post, lines } = await runningServer(admissionHandlers(anAdmissionContext()));
  const answers = [
    await post(reviewOf(object), { path: PATHS.mutateClusters }),
    await post(reviewOf(object), { path: PATHS.validateClusters }),
  ];
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  return answers;
}

function cluster(spec: string, metadata = '"name":"demo"'): string {
  return `{"apiVersion":"gateway.dask.org/v1alpha1","kind":"DaskCluster","metadata":{${metadata}},"spec":{${spec}}}`;
}

const SCHEDULER = '"scheduler":{"template":{"spec":{"containers":[{"name":"dask-scheduler","image":"x"}]}}}';
const DEEP = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
/** One fault for every few bytes. */
const FAULTS = `"scheduler":{"template":{"spec":{"volumes":[${Array.from({ length: 5_000 }, () => '{"a":1}').join()}]}}}`;

describe('a hostile object is denied with the field that is wrong', () => {
  it.each([
    ['10,000 levels in a template', cluster(`"scheduler":{"template":${DEEP}}`), 'spec.scheduler.template'],
    ['10,000 levels in a scalar', cluster(`${SCHEDULER},"active":${DEEP}`), 'spec.active'],
    [
      '10,000 levels in the metadata',
      cluster(SCHEDULER, `"name":"demo","labels":${DEEP}`),
      'metadata.labels',
    ],
    ['a prototype in the spec', cluster(`${SCHEDULER},"__proto__":{"active":false}`), 'spec.__proto__'],
    ['an escaped prototype', cluster(`${SCHEDULER},"\\u005f_proto__":1`), 'spec.__proto__'],
    ['a constructor', cluster(`${SCHEDULER},"constructor":{"prototype":{"a":1}}`), 'spec.constructor'],
    ['half a character as a key', cluster(`${SCHEDULER},"\\ud800":1`), 'spec.\ufffd'],
    ['a number without end', cluster(`${SCHEDULER},"worker":{"replicas":1e400}`), 'spec.worker.replicas'],
    ['a template as text', cluster('"scheduler":{"template":"apiVersion: v1"}'), 'spec.scheduler.template'],
    ['a list for the spec', '{"metadata":{"name":"demo"},"spec":[]}', 'spec'],
    ['nothing at all', '{}', 'metadata.name'],
    ['thousands of faults', cluster(FAULTS), 'spec.scheduler.template.spec.volumes[0].name'],
  ])('%s', async (_, object, field) => {
    for (const { code, body } of await answersTo(object)) {
      expect(code).toBe(200);
      const { response } = body as { response: { status: { details: { causes: { field: string }[] } } } };
      expect(response).toMatchObject({ allowed: false, status: { code: 422, reason: 'Invalid' } });
      expect(response.status.details.causes.map((cause) => cause.field)).toContain(field);
      expect(JSON.stringify(body).length).toBeLessThan(100_000);
    }
    expect('active' in {} || 'a' in {}).toBe(false);
  });

  it('of two values for a key the last one counts, as for the API server', async () => {
    const [mutated] = await answersTo(cluster(`${SCHEDULER},"active":"no","active":true`));
    expect(mutated?.body).toMatchObject({ response: { allowed: true } });
  });

  it('3 MiB of template are refused for their size, at once', async () => {
    const template = `{"spec":{"hostname":"${'x'.repeat(3 * 1024 * 1024)}"}}`;
    for (const { body } of await answersTo(cluster(`"scheduler":{"template":${template}}`))) {
      expect(body).toMatchObject({
        response: { allowed: false, status: { details: { causes: [{ field: 'spec.scheduler.template' }] } } },
      });
    }
  });
});

describe('null', () => {
  /** The text of the object with each of its values in turn replaced by null. */
  function* withNulls(value: unknown, wrap: (inner: string) => string): Generator<string> {
    yield wrap('null');
    if (typeof value !== 'object' || value === null) return;
    const entries = Object.entries(value);
    const isList = Array.isArray(value);
    for (const [place, [, child]] of entries.entries()) {
      const around = (inner: string): string => {
        const members = entries.map(([key, other], index) => {
          const text = index === place ? inner : JSON.stringify(other);
          return isList ? text : `${JSON.stringify(key)}:${text}`;
        });
        return wrap(isList ? `[${members.join()}]` : `{${members.join()}}`);
      };
      yield* withNulls(child, around);
    }
  }

  const manifest = MANIFESTS.find(({ file }) => file === 'reapplied-live-object.yaml');
  const whole = { ...manifest?.object, status: { phase: 'Running', workers: { desired: 1 } } };
  const texts = [...withNulls(JSON.parse(JSON.stringify(whole)), (inner) => inner)];

  it(`in any of ${texts.length} places is a review or a clear refusal`, async () => {
    const { post, lines } = await runningServer(admissionHandlers(anAdmissionContext()));
    for (const text of texts) {
      for (const path of [PATHS.mutateClusters, PATHS.validateClusters]) {
        const { code, body } = await post(reviewOf(text), { path });
        expect([200, 400], `${text}: ${JSON.stringify(body)}`).toContain(code);
        if (text !== 'null') expect(code, text).toBe(200);
      }
    }
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
