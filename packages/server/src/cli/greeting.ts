/** What a server tells when it has begun to serve. */
export type Greeting = {
  version: string
  data: string
  /** Origins, such as `http://127.0.0.1:7070`. */
  api: string
  feed: string
  admin: string
  /** Whether there is no organization yet. */
  isEmpty: boolean
  /** Of the demo fleet: a key, and a path to try it with. */
  key: string | undefined
  path: string | undefined
}

/**
 * One line of JSON on stdout, where only log lines follow; or for people on stderr, which leaves
 * stdout to the log alone.
 */
export function greet(greeting: Greeting, asJson: boolean): void {
  const { version, data, api, feed, admin, key } = greeting
  const curl = curlLine(greeting)
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ api, feed, admin, data, version, key, curl })}\n`)
    return
  }
  const lines = [
    `Fleetgate ${version} serves ${data}`,
    '',
    `  API        ${api}/public/v1`,
    `  Reference  ${api}/docs`,
    `  Feed       ${feed}/feed/v1`,
    `  Metrics    ${admin}/metrics`,
  ]
  if (curl !== undefined) {
    lines.push(`  Key        ${key}`, '', 'Try it:', '', `  ${curl}`)
  } else if (greeting.isEmpty) {
    lines.push(
      '',
      "Make an organization with 'fleetgate org create' and a key with 'fleetgate key issue'.",
    )
  }
  process.stderr.write(`${lines.join('\n')}\n\n`)
}

function curlLine({ api, key, path }: Greeting): string | undefined {
  return key === undefined || path === undefined
    ? undefined
    : `curl -H 'x-api-key: ${key}' ${api}${path}`
}
