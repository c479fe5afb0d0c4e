import type { Refusal } from '../core/pod-verdict/findings-of-refusal.ts';
import type { ApiError } from '../kube/errors.ts';

/** What the API server said, without the call: that says nothing to whoever wrote the manifest. */
export function refusalOf({ call, code, message, reason, details }: ApiError): Refusal {
  const words = message.replace(`${call.method} ${call.path}: ${String(code)} `, '');
  return { message: words, reason, ...(details !== undefined && { details }) };
}
