import { describe, expect, it } from 'vitest';
import { Turnstile } from '../../../webhooks/turnstile.ts';

const { signal } = new AbortController();

/** Work that ends when the test says so. */
class Works {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, PromiseWithResolvers<undefined>>();
  private readonly turnstile = new Turnstile({ places: 3, placesEach: 2 });

  start(name: string, until = signal): Promise<undefined> {
    const end = Promise.withResolvers<undefined>();
    this.ends.set(name, end);
    const work = (): Promise<undefined> => {
      this.begun.push(name);
      return end.promise;
    };
    return this.turnstile.pass(name.charAt(0), work, until);
  }

  async end(name: string, error?: Error): Promise<void> {
    const end = this.ends.get(name);
    if (error === undefined) end?.resolve(undefined);
    else end?.reject(error);
    await new Promise(setImmediate);
  }
}

describe('Turnstile', () => {
  it('lets in as many as there are places, the others in their order', async () => {
    const works = new Works();
    const all = ['a1', 'b1', 'c1', 'd1', 'e1'].map((name) => works.start(name));
    await works.end('b1');
    expect(works.begun).toEqual(['a1', 'b1', 'c1', 'd1']);
    for (const name of ['a1', 'c1', 'd1', 'e1']) await works.end(name);
    await Promise.all(all);
    expect(works.begun).toEqual(['a1', 'b1', 'c1', 'd1', 'e1']);
  });

  it('keeps a place for somebody else', async () => {
    const works = new Works();
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => works.start(name));
    await new Promise(setImmediate);
    expect(works.begun).toEqual(['a1', 'a2', 'b1']);
    await works.end('b1');
    expect(works.begun).toEqual(['a1', 'a2', 'b1']);
    await works.end('a1');
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const name of ['a2', 'a3']) await works.end(name);
    await Promise.all(all);
  });

  it('frees the place of work that fails', async () => {
    const works = new Works();
    const failed = works.start('a1');
    const others = ['a2', 'a3'].map((name) => works.start(name));
    const rejected = expect(failed).rejects.toThrow('broken');
    await works.end('a1', new Error('broken'));
    await rejected;
    expect(works.begun).toEqual(['a1', 'a2', 'a3']);
    for (const name of ['a2', 'a3']) await works.end(name);
    await Promise.all(others);
  });

  it('lets a waiting one go whose time is over, and nobody waits behind it', async () => {
    const works = new Works();
    const impatience = new AbortController();
    const all = ['a1', 'a2'].map((name) => works.start(name));
    const given = works.start('a3', impatience.signal);
    all.push(works.start('a4'));
    impatience.abort(new Error('late'));
    await expect(given).rejects.toThrow('late');
    await works.end('a1');
    expect(works.begun).toEqual(['a1', 'a2', 'a4']);
    for (const name of ['a2', 'a4']) await works.end(name);
    await Promise.all(all);
  });

  it('begins nothing after the end', async () => {
    const works = new Works();
    await expect(works.start('a1', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    expect(works.begun).toEqual([]);
  });
});
