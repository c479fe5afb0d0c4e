const DEFAULT_REGISTRY = 'docker.io';
/** What stands behind a whole name of a registry, of a folder or of an image. */
const BOUNDARIES = ['/', ':', '@'];

/**
 * An image with its registry in front, as the container runtime completes it: `python:3` is
 * `docker.io/library/python:3`.
 */
export function completeImage(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  if (!isRegistry(first)) return ofDefaultRegistry(image);
  const rest = image.slice(slash + 1);
  return first === DEFAULT_REGISTRY || first === `index.${DEFAULT_REGISTRY}`
    ? ofDefaultRegistry(rest)
    : image;
}

/** Whether an image lies in one of these registries or folders. `ghcr.io/dask` does not hold `ghcr.io/dask-evil/x`. */
export function isFrom(image: string, prefixes: readonly string[]): boolean {
  const complete = completeImage(image);
  return prefixes.map(completePrefix).some((prefix) => {
    if (!complete.startsWith(prefix)) return false;
    const next = complete.charAt(prefix.length);
    return next === '' || BOUNDARIES.includes(prefix.slice(-1)) || BOUNDARIES.includes(next);
  });
}

/** Completed as an image is, but that it may be a registry's name alone. */
function completePrefix(prefix: string): string {
  const bare = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  if (bare === `index.${DEFAULT_REGISTRY}` || bare === DEFAULT_REGISTRY) return `${DEFAULT_REGISTRY}/`;
  if (!bare.includes('/') && isRegistry(bare)) return prefix;
  // A folder of the default registry: without the slash it would be taken for an image.
  if (!bare.includes('/') && bare !== prefix) return `${DEFAULT_REGISTRY}/${prefix}`;
  return completeImage(prefix);
}

function ofDefaultRegistry(image: string): string {
  return image.includes('/') ? `${DEFAULT_REGISTRY}/${image}` : `${DEFAULT_REGISTRY}/library/${image}`;
}

function isRegistry(name: string): boolean {
  return name === 'localhost' || /[.:A-Z]/.test(name);
}
