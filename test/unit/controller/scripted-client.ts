import type { KubeObject, Resource, Status } from '../../../src/api/kubernetes.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { ApiError, TransportError } from '../../../src/kube/errors.ts';
import type { Patch } from '../../../src/kube/patch.ts';

type Fault = 'lost-answer' | 'not-sent' | ApiError;

/**
 * An API server of objects by `<plural>/<name>` whose next calls fail as the test says. Resource versions and UIDs are
 * counted from 1.
 */
export class ScriptedClient implements Pick<KubeClient, 'get' | 'create' | 'patch' | 'delete'> {
  readonly objects = new Map<string, KubeObject>();
  /** `create pods/x`, in the order in which they came, the failed ones included. */
  readonly calls: string[] = [];
  /** What an admission webhook makes of an object that is created. */
  admit = (object: KubeObject): KubeObject => object;
  private readonly faults = new Map<string, Fault[]>();
  private version = 0;

  /** The next such call fails; of a lost answer the call has happened all the same. */
  fail(call: string, fault: Fault): void {
    this.faults.set(call, [...(this.faults.get(call) ?? []), fault]);
  }

  /** Makes an object there, as somebody else would. */
  put<T extends KubeObject>(plural: string, object: T): T {
    const stored = this.stored(object);
    this.objects.set(`${plural}/${object.metadata.name ?? ''}`, stored);
    return stored;
  }

  get<T extends KubeObject>({ plural }: Resource, { name }: { readonly name: string }): Promise<T> {
    const key = `${plural}/${name}`;
    return this.answer(`get ${key}`, () => this.existing(key)) as Promise<T>;
  }

  create<T extends object, Answer = T>({ plural }: Resource, _at: object, object: T): Promise<Answer> {
    const posted = object as unknown as KubeObject;
    const key = `${plural}/${posted.metadata.name ?? ''}`;
    return this.answer(`create ${key}`, () => {
      if (this.objects.has(key)) throw refusal(409, 'AlreadyExists');
      return this.put(plural, this.admit(posted));
    }) as Promise<Answer>;
  }

  patch<T extends KubeObject>(
    { plural }: Resource,
    { name }: { readonly name: string },
    patch: Patch,
  ): Promise<T> {
    const key = `${plural}/${name}`;
    return this.answer(`patch ${key}`, () => {
      if (patch.type !== 'merge') throw new Error('only merge patches are scripted');
      const before = this.existing(key);
      const { metadata, ...body } = patch.body as { metadata: KubeObject['metadata']; status: object };
      if (metadata.resourceVersion !== before.metadata.resourceVersion) throw refusal(409, 'Conflict');
      return this.put(plural, merged(before, body) as unknown as KubeObject);
    }) as Promise<T>;
  }

  delete(
    { plural }: Resource,
    { name }: { readonly name: string },
    { uid }: { readonly uid?: string | undefined } = {},
  ): Promise<KubeObject | Status> {
    const key = `${plural}/${name}`;
    return this.answer(`delete ${key}`, () => {
      const object = this.existing(key);
      if (uid !== undefined && uid !== object.metadata.uid) throw refusal(409, 'Conflict');
      this.objects.delete(key);
      return { kind: 'Status' };
    });
  }

  private async answer<T>(call: string, perform: () => T): Promise<T> {
    this.calls.push(call);
    const fault = this.faults.get(call)?.shift();
    await Promise.resolve();
    if (fault instanceof ApiError) throw fault;
    const [method = '', path = ''] = call.split(' ');
    if (fault === 'not-sent') throw new TransportError({ method, path }, 'not-sent', 'refused');
    const result = perform();
    if (fault === 'lost-answer') throw new TransportError({ method, path }, 'unknown', 'reset');
    return result;
  }

  private existing(key: string): KubeObject {
    const object = this.objects.get(key);
    if (object === undefined) throw refusal(404, 'NotFound');
    return object;
  }

  private stored<T extends KubeObject>(object: T): T {
    this.version += 1;
    const { uid = `uid-${String(this.version)}` } = object.metadata;
    return { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(this.version) } };
  }
}

export function refusal(code: number, reason: string, message = reason): ApiError {
  return new ApiError({ method: 'POST', path: '/' }, code, { reason, message });
}

/** RFC 7386, for objects. */
function merged(before: object, patch: object): Record<string, unknown> {
  const result: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(patch) as [string, unknown][]) {
    if (value === null) Reflect.deleteProperty(result, key);
    else if (isMap(value)) result[key] = merged(isMap(result[key]) ? result[key] : {}, value);
    else result[key] = value;
  }
  return result;
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
