import type { Finding } from '../../src/core/findings.ts';
import type { Json } from '../support/random-pod-names.ts';
import { pathsOf, type OracleVerdict } from '../support/oracle.ts';
import { objectOf } from './object-of.ts';

/**
 * Rules by which we refuse what Kubernetes would admit, and why. Whatever else is refused must be refused by Kubernetes
 * too, at the same path.
 */
export const PRODUCT_RULES: Readonly<Record<string, string>> = {
  'dask-container': 'nobody would know which container is the scheduler or the worker',
  'foreign-credentials': "another cluster's credentials are not the requester's",
  'mount-paths': 'the credentials are mounted there',
  names: 'names become parts of the names of Services and of addresses',
  ports: 'Dask and daskwarden need 8786 and 8787',
  'request-over-limit': 'Kubernetes says it too, at another depth',
  'reserved-env': 'these variables lead Dask to its credentials',
  'reserved-labels': 'pods are selected by them',
  'reserved-volume': 'daskwarden adds the volume',
  'restart-policy': 'a retired worker would come back',
  size: 'what is too large is not judged',
  structure: 'the type is wrong: the oracle says so of the whole manifest alone',
  'tls-options': 'the environment gives them',
  'unknown-field': 'Kubernetes drops it in silence',
};

/** What we say because the API server does it before it validates, and the oracle does not. */
const ORACLE_LACKS: readonly RegExp[] = [
  // It merges matchLabelKeys into the selector, which then may have a key twice.
  /exists in both matchLabelKeys and labelSelector/,
];

/** What the oracle says and the API server does not, by its line. */
const ORACLE_EXCEEDS: readonly RegExp[] = [
  // The fields of features that are off in this release are dropped before the pod is validated.
  /\.spec\.schedulingGroup\b/,
  /\.lifecycle\.stopSignal\b/,
  /\.projected\.sources\[\d+\]\.(?:clusterTrustBundle|podCertificate)\b/,
  /\.projected: Invalid value: .*: conflicting duplicate paths$/,
  // Every installer of Kubernetes allows privileged containers; pod security is another matter.
  /: Forbidden: (?:hostProcess containers are )?disallowed by cluster policy$/,
  // The volume is there by the time the pod is validated: it is injected.
  /: Not found: "dask-credentials"$/,
];

export interface Difference {
  /** `admitted` and `refused` are wrong verdicts; the others are right ones with a path too few or too many. */
  readonly kind: 'admitted' | 'refused' | 'missed' | 'invented';
  /** What the one says and the other does not. */
  readonly what: string;
}

/** How our judgement of a manifest differs from Kubernetes'; undefined where it does not, but for product rules. */
export function differenceOf(findings: readonly Finding[], oracle: OracleVerdict): Difference | undefined {
  const errors = findings.filter(({ level }) => level === 'error');
  if (oracle.decode !== undefined) {
    return errors.length === 0 ? { kind: 'admitted', what: oracle.decode } : undefined;
  }
  const theirs = pathsOf(oracle.errors).map(normal);
  const owed = pathsOf(owedOf(oracle.errors ?? [])).map(normal);
  const missed = owed.find((path) => !errors.some((error) => says(error, path)));
  if (missed !== undefined) return { kind: errors.length === 0 ? 'admitted' : 'missed', what: missed };
  const invented = errors.find((error) => !isOwn(error) && !theirs.includes(normal(error.path.toString())));
  if (invented === undefined) return undefined;
  const kind = theirs.length === 0 ? 'refused' : 'invented';
  return { kind, what: `${invented.path.toString()}: ${invented.message}` };
}

/** What we must say too. A volume that is refused is not there for the mounts either. */
function owedOf(lines: readonly string[]): readonly string[] {
  const exceeds = (line: string): boolean => ORACLE_EXCEEDS.some((pattern) => pattern.test(line));
  const losesVolume = lines.some((line) => exceeds(line) && line.includes('.volumes['));
  return lines.filter(
    (line) => !exceeds(line) && !(losesVolume && /volumeMounts\[\d+\]\.name: Not found/.test(line)),
  );
}

/** A manifest as far as pods are made of it: of the metadata of templates only labels and annotations are. */
export function asRendered(manifest: object): object {
  const { spec } = manifest as { readonly spec?: Json };
  const part = (role: string): Json => {
    const { template, ...rest } = objectOf(spec?.[role]);
    const { metadata, ...others } = objectOf(template);
    const { labels, annotations } = objectOf(metadata);
    return { ...rest, template: { ...others, metadata: { labels, annotations } } };
  };
  return { ...manifest, spec: { ...spec, scheduler: part('scheduler'), worker: part('worker') } };
}

function isOwn({ rule, message }: Finding): boolean {
  return PRODUCT_RULES[rule] !== undefined || ORACLE_LACKS.some((pattern) => pattern.test(message));
}

/** A product rule may say the same of what holds the field, or of what is in it. */
function says(error: Finding, theirs: string): boolean {
  const ours = normal(error.path.toString());
  if (ours === theirs) return true;
  return isOwn(error) && (isBelow(ours, theirs) || isBelow(theirs, ours));
}

function isBelow(path: string, place: string): boolean {
  return path.startsWith(`${place}.`);
}

/** `limits[cpu]` and `limits.cpu` are the same. */
function normal(path: string): string {
  return path.replaceAll(/\[([^\]]*)\]/g, '.$1');
}
