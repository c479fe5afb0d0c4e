/**
 * Aborts on the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once, for a shutdown that hangs.
 * @param onSignal called with the first signal's name
 */
export function terminationSignal(onSignal: (name: string) => void): AbortSignal {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(130);
    onSignal(name);
    controller.abort(new Error(`ended by ${name}`));
  };
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop);
  return controller.signal;
}
