/** The names by which a Service is dialled; the API server asks for `<service>.<namespace>.svc`. */
export function serviceDnsNames(service: string, namespace: string): readonly [string, ...string[]] {
  const qualified = `${service}.${namespace}`;
  return [service, qualified, `${qualified}.svc`, `${qualified}.svc.cluster.local`];
}
