import { addAll } from '../../base/domain/common/any-number.ts'

/** The facts that a server prints when it starts to serve. */
export type Greeting = {
  version: string
  /** The data folder, or the database and Redis. */
  data: string
  redis?: string
  /** Addresses such as `http://127.0.0.1:7070`. Null if this server does not have that role. */
  api: string | null
  feed: string | null
  admin: string
  /**
   * The console's address, with the setup link's secret while no password is set. Null if this server has
   * no console.
   */
  console: { url: string; setup: string | null } | null
  /** Whether there is no organization yet. */
  isEmpty: boolean
  demo: DemoGreeting | undefined
}

/** The demo fleet's secrets, and objects to try them with. */
export type DemoGreeting = {
  key: string
  feedToken: string
  first: { id: number }
  silent: { id: number; ident: string; name: string } | undefined
}

/**
 * For people on stderr. As JSON: one line on stdout, where only log lines follow. Secrets are a line of their
 * own on stderr, because stdout is the log.
 */
export function greet(greeting: Greeting, asJson: boolean): void {
  if (asJson) {
    const secrets = secretsOf(greeting)
    if (Object.keys(secrets).length > 0) process.stderr.write(`${JSON.stringify(secrets)}\n`)
    process.stdout.write(`${JSON.stringify(firstLineOf(greeting))}\n`)
    return
  }
  const { version, data, redis, api, feed, admin, console, demo } = greeting
  const lines = [`Fleetgate ${version} serves ${data}${redis === undefined ? '' : ` and ${redis}`}`]
  lines.push('')
  if (api !== null) lines.push(`  API        ${api}/public/v1`, `  Reference  ${api}/docs`)
  if (feed !== null) lines.push(`  Feed       ${feed}/feed/v1`)
  if (console !== null) lines.push(`  Console    ${linkOf(console)}`)
  if (console !== null && console.setup !== null) {
    lines.push('             (open it to create the first account; the link works once)')
  }
  lines.push(`  Metrics    ${admin}/metrics`)
  if (demo !== undefined && api !== null && feed !== null) {
    addAll(lines, demoLines(api, feed, demo))
  } else if (greeting.isEmpty) {
    lines.push(
      '',
      console === null
        ? "Create an organization with 'npx fleetgate org create' and a key with 'npx fleetgate key issue'."
        : 'Create an organization and a key in the console.',
    )
  }
  process.stderr.write(`${lines.join('\n')}\n\n`)
}

/** The first line of the log: it holds no secret. */
export function firstLineOf({ api, feed, admin, console, data, redis, version }: Greeting): object {
  return { api, feed, admin, console: console?.url, data, redis, version }
}

/** The setup link, and the secrets of the demo. */
export function secretsOf({ api, console, demo }: Greeting): Record<string, string> {
  return {
    ...(console !== null && console.setup !== null && { setup: linkOf(console) }),
    ...(demo && {
      key: demo.key,
      feed_token: demo.feedToken,
      curl: readLine(`${api}`, demo.key, demo.first.id),
    }),
  }
}

function demoLines(
  api: string,
  feed: string,
  { key, feedToken, first, silent }: DemoGreeting,
): string[] {
  const lines = [`  Key        ${key}`, '', 'Try it:', '', `  ${readLine(api, key, first.id)}`]
  if (silent === undefined) return lines
  // With the token in the path, as a phone sends it: without a body, and with the current time.
  const target = `${feed}/feed/v1/${feedToken}/osmand?id=${silent.ident}&lat=41.4036&lon=2.1744`
  return [
    ...lines,
    '',
    `Send a position as ${silent.name}, which has not reported yet, and see it appear:`,
    '',
    `  curl '${target}' && ${readLine(api, key, silent.id)}`,
  ]
}

function readLine(api: string, key: string, object: number): string {
  return `curl -H 'x-api-key: ${key}' ${api}/public/v1/objects/${object}`
}

/** The secret follows the `#`, which browsers do not send to servers. */
export function linkOf({ url, setup }: { url: string; setup: string | null }): string {
  return setup === null ? url : `${url}/setup#${setup}`
}
