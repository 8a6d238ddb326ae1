/** Wrong use. The message says how to use the command. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
