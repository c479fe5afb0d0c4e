import type { FieldPath } from '../../api/field-path.ts';
import { cut, warning, type Finding } from '../findings.ts';
import { parseQuantity, toUnits } from '../quantity.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

const LEAST_BYTES = 1024n * 1024n;

/** `memory: 512` are 512 bytes, and `memory: 512m` is half a byte: nobody means that. */
export const memoryUnit: Rule = {
  id: 'memory-unit',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(amountsOf).flatMap(({ path, value }) => {
      const message = fault(value);
      return message === undefined ? [] : [warning({ rule: memoryUnit.id, path, value, message })];
    });
  },
};

interface Amount {
  readonly path: FieldPath;
  readonly value: unknown;
}

function amountsOf({ path, spec, allContainers }: TemplateView): readonly Amount[] {
  const holders = [{ container: spec, path: path.child('spec') }, ...allContainers];
  const ofResources = holders.flatMap(({ container: { resources }, path: at }) =>
    (['requests', 'limits'] as const).map((kind) => ({
      path: at.child('resources', kind).key('memory'),
      value: (resources?.[kind] as Readonly<Record<string, unknown>> | undefined)?.['memory'],
    })),
  );
  const ofVolumes = (spec.volumes ?? []).map((volume, index) => ({
    path: path.child('spec', 'volumes').index(index, volume.name).child('emptyDir', 'sizeLimit'),
    value: volume.emptyDir?.sizeLimit,
  }));
  return [...ofResources, ...ofVolumes];
}

function fault(value: unknown): string | undefined {
  const quantity = parseQuantity(value);
  if (quantity === undefined || quantity <= 0n) return undefined;
  const text = cut(String(value).trim());
  if (text.endsWith('m')) return `"${text}" is in thousandths of a byte: write "Mi" or "Gi"`;
  const bytes = toUnits(quantity);
  return bytes < LEAST_BYTES ? `is only ${String(bytes)} bytes: write "Mi" or "Gi"` : undefined;
}
