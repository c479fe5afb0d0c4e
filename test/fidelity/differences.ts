import type { Finding } from '../../src/core/findings.ts';
import { pathsOf, type OracleVerdict } from '../support/oracle.ts';

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

/** Fields of features that are off in this release: the API server drops them before it validates, the oracle does not. */
const DROPPED: readonly RegExp[] = [
  /\.spec\.schedulingGroup\b/,
  /\.lifecycle\.stopSignal\b/,
  /\.projected\.sources\[\d+\]\.clusterTrustBundle\b/,
];

/** The volume is there by the time the pod is validated: it is injected. */
const INJECTED = /: Not found: "dask-credentials"$/;

/** Of a template's metadata only labels and annotations reach the pods. */
const NOT_RENDERED = /^spec\.(?:scheduler|worker)\.template\.metadata\.(?!labels|annotations)/;

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
  const errorsOfPods = oracle.errors?.filter((error) => !INJECTED.test(error)) ?? [];
  const theirs = pathsOf(errorsOfPods)
    .filter((path) => !NOT_RENDERED.test(path) && !DROPPED.some((pattern) => pattern.test(path)))
    .map(normal);
  const missed = theirs.find((path) => !errors.some((error) => says(error, path)));
  if (missed !== undefined) return { kind: errors.length === 0 ? 'admitted' : 'missed', what: missed };
  const invented = errors.find((error) => !isOwn(error) && !theirs.includes(normal(error.path.toString())));
  if (invented === undefined) return undefined;
  const kind = theirs.length === 0 ? 'refused' : 'invented';
  return { kind, what: `${invented.path.toString()}: ${invented.message}` };
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
