import { afterEach, describe, expect, it } from 'vitest';
import { NoVerdict } from '../../../../webhooks/podcheck/no-verdict.ts';
import {
  Podcheck,
  type PodcheckEvent,
  type PodcheckOptions,
} from '../../../../webhooks/podcheck/podcheck.ts';

const program = new URL('./scripted-worker.ts', import.meta.url);
const open: Podcheck[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((podcheck) => podcheck.close()));
});

function start(options: PodcheckOptions = {}): { podcheck: Podcheck; events: PodcheckEvent[] } {
  const events: PodcheckEvent[] = [];
  const observe = (event: PodcheckEvent): void => void events.push(event);
  const podcheck = new Podcheck({ program, timeoutMs: 400, longestWaitMs: 20_000, observe, ...options });
  open.push(podcheck);
  return { podcheck, events };
}

/** What podcheck made of a text: the text itself, or why there is no verdict. */
async function ask(podcheck: Podcheck, text: string, tenant = 'team-a'): Promise<string> {
  try {
    const [verdict] = await podcheck.check([{ pod: JSON.stringify(text) }], tenant);
    return verdict?.decode ?? '';
  } catch (error) {
    if (error instanceof NoVerdict) return `${error.why}: ${error.message}`;
    throw error;
  }
}

const TOO_SLOW = 'too-slow: no verdict within 400 ms: the pod templates are too complex';

describe('Podcheck', { timeout: 60_000 }, () => {
  it('asks for pod, old pod and level, and gives a verdict for each pod', async () => {
    const { podcheck } = start();
    const verdicts = await podcheck.check([{ pod: '1', oldPod: '2', level: 'baseline' }, { pod: '3' }], 'a');
    expect(verdicts).toEqual([{ decode: 'baseline\n2\n1' }, { decode: '\n\n3' }]);
  });

  it('gives up a call that takes too long, replaces the thread and judges the next one', async () => {
    const { podcheck, events } = start();
    const [slow, next] = await Promise.all([ask(podcheck, 'HANG'), ask(podcheck, 'good')]);
    expect(slow).toBe(TOO_SLOW);
    expect(next).toBe('\n\n"good"');
    expect(events.map((event) => event.kind)).toEqual(['no-verdict', 'replaced', 'verdict']);
    expect(events[1]).toEqual({ kind: 'replaced', cause: 'too-slow' });
  });

  it('takes turns between tenants, and a slow one comes last', async () => {
    const { podcheck } = start();
    const order: string[] = [];
    const note = async (text: string, tenant: string): Promise<void> => {
      const answer = await ask(podcheck, text, tenant);
      order.push(answer === TOO_SLOW ? `${tenant} too slow` : tenant);
    };
    await Promise.all([
      note('HANG 1', 'hostile'),
      note('HANG 2', 'hostile'),
      note('a', 'team-a'),
      note('b', 'team-a'),
      note('c', 'team-b'),
    ]);
    expect(order).toEqual(['hostile too slow', 'team-a', 'team-b', 'team-a', 'hostile too slow']);
  });

  it('holds a bounded number of calls of a tenant', async () => {
    const { podcheck } = start({ bounds: { tenant: 2, total: 10 } });
    const calls = ['1', '2', '3'].map((text) => ask(podcheck, text, 'loud'));
    expect(await Promise.all([...calls, ask(podcheck, '4', 'quiet')])).toEqual([
      '\n\n"1"',
      '\n\n"2"',
      'busy: too many calls are waiting',
      '\n\n"4"',
    ]);
  });

  it('lets a call whose turn does not come end before the API server gives up', async () => {
    const { podcheck } = start({ timeoutMs: 10_000, longestWaitMs: 300 });
    await ask(podcheck, 'started');
    void ask(podcheck, 'HANG');
    expect(await ask(podcheck, 'late', 'team-b')).toBe(
      'busy: no turn within 300 ms: too many calls are waiting',
    );
  });

  it.each(['BREAK', 'EXIT'])(
    'refuses a call that breaks the instance, and judges the next one: %s',
    async (how) => {
      const { podcheck } = start();
      const [broken, next] = await Promise.all([ask(podcheck, how), ask(podcheck, 'good')]);
      expect(broken).toMatch(/^broken: /u);
      expect(next).toBe('\n\n"good"');
    },
  );

  it('waits while an instance that grew too big is replaced', async () => {
    const { podcheck, events } = start();
    expect(await Promise.all([ask(podcheck, 'GROW'), ask(podcheck, 'good')])).toEqual([
      '\n\n"GROW"',
      '\n\n"good"',
    ]);
    expect(events).toContainEqual({ kind: 'replaced', cause: 'memory' });
  });

  it('is warm after two hundred verdicts', async () => {
    const { podcheck, events } = start();
    expect(podcheck.isWarm).toBe(false);
    await podcheck.warmUp();
    expect(podcheck.isWarm).toBe(true);
    expect(events).toHaveLength(200);
  });

  it('refuses what waits, and whatever comes, once it is closed', async () => {
    const { podcheck } = start();
    const waiting = ask(podcheck, 'HANG');
    await podcheck.close();
    expect(await waiting).toBe('broken: podcheck is closed');
    expect(await ask(podcheck, 'late')).toBe('broken: podcheck is closed');
  });
});
