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
  demo: DemoGreeting | undefined
}

/** What opens the demo fleet, and what of it to try that with. */
export type DemoGreeting = {
  key: string
  feedToken: string
  first: { id: number }
  silent: { id: number; ident: string; name: string } | undefined
}

/**
 * One line of JSON on stdout, where only log lines follow; or for people on stderr, which leaves
 * stdout to the log alone.
 */
export function greet(greeting: Greeting, asJson: boolean): void {
  const { version, data, api, feed, admin, demo } = greeting
  if (asJson) {
    const access = demo && {
      key: demo.key,
      feed_token: demo.feedToken,
      curl: readLine(api, demo.key, demo.first.id),
    }
    process.stdout.write(`${JSON.stringify({ api, feed, admin, data, version, ...access })}\n`)
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
  if (demo !== undefined) {
    lines.push(...demoLines(greeting, demo))
  } else if (greeting.isEmpty) {
    lines.push(
      '',
      "Make an organization with 'fleetgate org create' and a key with 'fleetgate key issue'.",
    )
  }
  process.stderr.write(`${lines.join('\n')}\n\n`)
}

function demoLines({ api, feed }: Greeting, { key, feedToken, first, silent }: DemoGreeting) {
  const lines = [`  Key        ${key}`, '', 'Try it:', '', `  ${readLine(api, key, first.id)}`]
  if (silent === undefined) return lines
  // With the token in the path, as a phone has it: no body, and the time is now.
  const target = `${feed}/feed/v1/${feedToken}/osmand?id=${silent.ident}&lat=41.4036&lon=2.1744`
  return [
    ...lines,
    '',
    `Be the tracker of ${silent.name}, which has sent nothing yet, and see it appear:`,
    '',
    `  curl '${target}' && ${readLine(api, key, silent.id)}`,
  ]
}

function readLine(api: string, key: string, object: number): string {
  return `curl -H 'x-api-key: ${key}' ${api}/public/v1/objects/${object}`
}
