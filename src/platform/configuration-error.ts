/** A configuration file cannot be used. The message has a line for each problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** `FILE:line:column: path: message`; without place or path where there is none. */
  readonly problems: readonly [string, ...string[]];

  constructor(problems: readonly [string, ...string[]]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
