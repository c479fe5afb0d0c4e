import { describe, expect, it } from 'vitest';
import { BadRequest, parseReview } from '../../../webhooks/review.ts';
import { aRequest, aReviewBody } from './reviews.ts';

describe('parseReview', () => {
  it('reads a create', () => {
    expect(parseReview(aReviewBody({ object: { spec: {} } }))).toEqual(aRequest({ object: { spec: {} } }));
  });

  it('reads an update of a sub-resource in a dry run', () => {
    const body = aReviewBody({
      operation: 'UPDATE',
      subResource: 'scale',
      dryRun: true,
      object: { a: 1 },
      oldObject: { a: 2 },
    });
    expect(parseReview(body)).toEqual(
      aRequest({
        operation: 'UPDATE',
        subResource: 'scale',
        dryRun: true,
        object: { a: 1 },
        oldObject: { a: 2 },
      }),
    );
  });

  it('takes what a create by generateName or a request without a user leaves out', () => {
    const body = aReviewBody({ name: undefined, userInfo: null, namespace: null });
    expect(parseReview(body)).toMatchObject({
      name: '',
      requester: { username: '', uid: '', groups: [], extra: {} },
      namespace: '',
    });
  });

  it('reads who asks, with everything that an access review repeats', () => {
    const userInfo = {
      username: 'ada',
      uid: 'u1',
      groups: ['a', 'b'],
      extra: { scope: ['x', 'y'], none: null },
    };
    const { requester } = parseReview(aReviewBody({ userInfo }));
    expect(requester).toEqual({ ...userInfo, extra: { scope: ['x', 'y'], none: [] } });
  });

  it('reads the version, and takes what is left out of a kind for empty', () => {
    expect(parseReview(aReviewBody({ kind: { kind: 'Pod', version: 'v1' } })).kind).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
    });
  });

  it.each(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'])('knows the operation %s', (operation) => {
    expect(parseReview(aReviewBody({ operation })).operation).toBe(operation);
  });

  it('takes no dry run for one that is not true itself, and a uid and names of the longest kind', () => {
    const [uid, name] = ['u'.repeat(128), 'n'.repeat(4096)];
    expect(parseReview(aReviewBody({ dryRun: 'true', uid, name }))).toMatchObject({
      dryRun: false,
      uid,
      name,
    });
  });

  it.each([
    ['null', null, 'the body must be one JSON object, an AdmissionReview'],
    ['a list', [aReviewBody()], 'the body must be one JSON object, an AdmissionReview'],
    ['another kind', { kind: 'List' }, 'kind must be AdmissionReview, not "List"'],
    ['no kind', {}, 'kind must be AdmissionReview, not a value of type undefined'],
    [
      'v1beta1',
      { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1' },
      'apiVersion must be admission.k8s.io/v1, not "admission.k8s.io/v1beta1": register the webhook with admissionReviewVersions: ["v1"]',
    ],
    [
      'a response instead of a request',
      { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: {} },
      'request must be an object',
    ],
    ['no uid', aReviewBody({ uid: '' }), 'request.uid must be a string of 1 to 128 characters'],
    [
      'an endless uid',
      aReviewBody({ uid: 'x'.repeat(129) }),
      'request.uid must be a string of 1 to 128 characters',
    ],
    ['no kind', aReviewBody({ kind: {} }), 'request.kind must be an object with group, version and kind'],
    [
      'a kind that is a number',
      aReviewBody({ kind: { kind: 7 } }),
      'request.kind.kind must be a string of at most 4096 characters',
    ],
    [
      'another operation',
      aReviewBody({ operation: 'PATCH' }),
      'request.operation must be one of CREATE, UPDATE, DELETE, CONNECT',
    ],
    [
      'a name that would fill the log',
      aReviewBody({ name: 'x'.repeat(5000) }),
      'request.name must be a string of at most 4096 characters',
    ],
    ['a user that is a text', aReviewBody({ userInfo: 'ada' }), 'request.userInfo must be an object'],
    [
      'groups that are a text',
      aReviewBody({ userInfo: { groups: 'a' } }),
      'request.userInfo.groups must be a list of strings',
    ],
    [
      'a group that is a number',
      aReviewBody({ userInfo: { groups: ['a', 7] } }),
      'request.userInfo.groups must be a list of strings',
    ],
    [
      'extra that is a list',
      aReviewBody({ userInfo: { extra: [] } }),
      'request.userInfo.extra must be an object',
    ],
    [
      'extra with a text',
      aReviewBody({ userInfo: { extra: { scope: 'x' } } }),
      'request.userInfo.extra must be a list of strings',
    ],
    [
      'a user without a text for a name',
      aReviewBody({ userInfo: { username: 7 } }),
      'request.userInfo.username must be a string of at most 4096 characters',
    ],
    [
      'a group of a kind that is a number',
      aReviewBody({ kind: { kind: 'Pod', group: 7 } }),
      'request.kind.group must be a string of at most 4096 characters',
    ],
    [
      'a uid that is a number',
      aReviewBody({ uid: 7 }),
      'request.uid must be a string of 1 to 128 characters',
    ],
    [
      'a kind that is a text',
      aReviewBody({ kind: 'Pod' }),
      'request.kind must be an object with group, version and kind',
    ],
    [
      'an operation that is a list',
      aReviewBody({ operation: ['CREATE'] }),
      'request.operation must be one of CREATE, UPDATE, DELETE, CONNECT',
    ],
    ['an endless kind', { kind: 'x'.repeat(100) }, `kind must be AdmissionReview, not "${'x'.repeat(64)}"`],
    ['an object that is a list', aReviewBody({ object: [] }), 'request.object must be an object'],
    ['an old object that is a text', aReviewBody({ oldObject: '' }), 'request.oldObject must be an object'],
  ])('refuses %s, and names the field', (_, body, message) => {
    expect(() => parseReview(body)).toThrow(new BadRequest(message));
  });
});
