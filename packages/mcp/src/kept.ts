/**
 * A value that is loaded again when it is older than `forMs`, or when a fresh one is asked for. Callers that ask
 * meanwhile share the request. A failure is not kept.
 */
export function kept<Value>(
  forMs: number,
  load: () => Promise<Value>,
): (isFresh?: boolean) => Promise<Value> {
  let last: { at: number; value: Promise<Value> } | undefined

  return (isFresh = false) => {
    const now = performance.now()
    if (!isFresh && last !== undefined && now - last.at < forMs) return last.value
    const loaded = { at: now, value: load() }
    last = loaded
    loaded.value.catch(() => {
      if (last === loaded) last = undefined
    })
    return loaded.value
  }
}
