/** The reason of a failure of `fetch`, which hides it behind 'fetch failed'. */
export function fetchFailure(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
