import { APP_NAME_LABEL, MANAGED_BY, MANAGED_BY_LABEL } from '../../../api/names.ts';

/** What the pods of gateway-form clusters take from the installation and not from their DaskCluster. */
export interface GatewaySettings {
  /** Value of the instance label, for a cluster that carries none itself. */
  readonly instance: string;
  /** Where schedulers report to: the URL of dask-gateway's API server, ending in `/api`. */
  readonly apiUrl: string;
  /** On every pod; what a cluster's configuration adds wins over them. */
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
}

export const DEFAULT_GATEWAY_SETTINGS: GatewaySettings = {
  instance: 'daskwarden',
  apiUrl: '',
  commonLabels: { [APP_NAME_LABEL]: 'dask-gateway', [MANAGED_BY_LABEL]: MANAGED_BY },
  commonAnnotations: {},
};
