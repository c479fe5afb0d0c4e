/** JSON of a pod that leads through most of what a validation looks at. */
export const WARM_UP_POD = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'warm-up',
    namespace: 'default',
    labels: { 'app.kubernetes.io/name': 'dask', tier: 'warm up' },
    annotations: { 'example.com/note': 'warm up' },
  },
  spec: {
    restartPolicy: 'OnFailure',
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'dask', effect: 'NoSchedule' }],
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    securityContext: { runAsNonRoot: true, fsGroup: 100, seccompProfile: { type: 'RuntimeDefault' } },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['dask'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'dask' } },
            },
          },
        ],
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
    ],
    initContainers: [{ name: 'init', image: 'busybox', command: ['true'] }],
    containers: [
      {
        name: 'dask-worker',
        image: 'daskdev/dask',
        args: ['dask', 'worker'],
        ports: [{ name: 'dashboard', containerPort: 8787 }],
        env: [
          { name: 'A', value: '1' },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        resources: { limits: { cpu: '2', memory: '4Gi' }, requests: { cpu: '1', memory: '8Gi' } },
        readinessProbe: { httpGet: { path: '/health', port: 8787 }, periodSeconds: 1 },
        volumeMounts: [
          { name: 'scratch', mountPath: '/scratch' },
          { name: 'missing', mountPath: '/missing' },
        ],
      },
    ],
    volumes: [
      { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'settings', configMap: { name: 'settings', items: [{ key: 'a', path: 'a' }] } },
    ],
  },
});
