/** Refuses to run where others could read the key. Throws a `TypeError`. */
export function refuseBrowsers(scope: object): void {
  const isServer = ['process', 'Deno', 'Bun'].some((name) => name in scope)
  if (isServer || !('document' in scope || 'WorkerGlobalScope' in scope)) return
  throw new TypeError(
    'An API key in a browser is everybody’s who opens the page. Call Fleetgate from your own server, and have the page ask that.',
  )
}
