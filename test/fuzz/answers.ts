import { expect } from 'vitest';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: Readonly<Record<string, unknown>> & {
    readonly warnings?: readonly string[];
    readonly status?: { readonly code: number };
  };
}

/** What kube-apiserver demands of an answer; it counts anything else as a failed call, and a 4xx as our refusal of it. */
export function expectAnswer(path: string, code: number, body: unknown): void {
  if (code !== 200) {
    expect([400, 413]).toContain(code);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    return;
  }
  const { apiVersion, kind, response } = body as Review;
  expect({ apiVersion, kind }).toEqual({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
  expect(response['uid']).toEqual(expect.any(String));
  expect(response['allowed']).toEqual(expect.any(Boolean));
  expect('patch' in response).toBe('patchType' in response);
  if (path.startsWith('/validate')) expect(response).not.toHaveProperty('patch');
  expect(response.status === undefined).toBe(response['allowed']);
  if (response.status !== undefined) expect([403, 422]).toContain(response.status.code);
  const { warnings = [] } = response;
  expect(warnings.filter((text) => text.length >= 120)).toEqual([]);
  // JSON that is no UTF-8 would be no JSON to a reader in Go.
  expect(JSON.stringify(response).isWellFormed()).toBe(true);
}
