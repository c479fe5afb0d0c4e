import type { FieldPath } from '../../../api/field-path.ts';
import type { ContainerView, TemplateView } from '../template-view.ts';
import type { Reaching } from './place.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HOOKS = ['postStart', 'preStop'] as const;
const CALLS = ['httpGet', 'tcpSocket'] as const;

type Handler = Readonly<Partial<Record<(typeof CALLS)[number], { readonly host?: string }>>>;

/** The kubelet makes these calls, from the node: with a host they go wherever the node reaches, also to itself. */
export function reachesByKubelet({ allContainers }: TemplateView): readonly Reaching[] {
  return allContainers.flatMap(handlersOf).flatMap(({ handler, path }) =>
    CALLS.flatMap((call) => {
      const host = handler?.[call]?.host;
      const message = 'the kubelet would call it from the node; remove it: the pod itself is called';
      return host ? [{ path: path.child(call, 'host'), value: host, message }] : [];
    }),
  );
}

interface HandlerView {
  readonly handler: Handler | undefined;
  readonly path: FieldPath;
}

function handlersOf({ container, path }: ContainerView): readonly HandlerView[] {
  return [
    ...PROBES.map((field) => ({ handler: container[field], path: path.child(field) })),
    ...HOOKS.map((field) => ({
      handler: container.lifecycle?.[field],
      path: path.child('lifecycle', field),
    })),
  ];
}
