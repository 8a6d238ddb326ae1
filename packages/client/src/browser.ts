type Scope = {
  process?: { versions?: { node?: unknown } }
  Deno?: { version?: unknown }
  Bun?: { version?: unknown }
}

/** Refuses to run where others could read the key. Throws a `TypeError`. */
export function refuseBrowsers(scope: Scope): void {
  if (isServer(scope) || !('document' in scope || 'WorkerGlobalScope' in scope)) return
  throw new TypeError(
    'An API key in a browser is visible to everyone who opens the page. Call Fleetgate from your own server, and let the page call that server.',
  )
}

function isServer({ process, Deno, Bun }: Scope): boolean {
  // Check the version: the `process` of bundlers has none.
  return [process?.versions?.node, Deno?.version, Bun?.version].some(Boolean)
}
