import podcheck from '../../webhooks/podcheck/podcheck.json' with { type: 'json' };
import { VERSION } from '../platform/version.ts';

export interface VersionFacts {
  readonly version: string;
  /** Without a leading `v`, as the following. */
  readonly node: string;
  /** The Kubernetes whose validation judges the pods of a cluster. */
  readonly kubernetes: string;
}

export type VersionOutput = 'text' | 'json';

export const VERSION_FACTS: VersionFacts = {
  version: VERSION,
  node: process.versions.node,
  kubernetes: podcheck.kubernetes,
};

/** What `daskwarden version` prints, with the newline at its end; JSON is one object with the keys of the facts. */
export function versionText(facts: VersionFacts, output: VersionOutput): string {
  if (output === 'json') return `${JSON.stringify(facts)}\n`;
  const { version, node, kubernetes } = facts;
  return `daskwarden ${version} (Node ${node}, pods judged as Kubernetes ${kubernetes})\n`;
}
