/**
 * The report of a failing test has the statement that the test is about, and the last requests that it sent with their
 * answers. `client.ts` and `raw-socket.ts` note each answer here. A test that passes only notes.
 */
import { afterEach, beforeEach, type TestContext } from 'node:test'

/** A request and its answer. `body`: its first bytes. */
type Exchange = { number: number; asked: string; status: number; headers: Headers; body: string }
type Headers = Readonly<Record<string, string | string[] | undefined>>

const SHOWN = 3
const BODY_CHARACTERS = 400
const HEADERS =
  /^(content-(type|encoding)|retry-after|x-ratelimit-.*|x-quota-.*|etag|link|allow|location|x-request-id)$/
/** Keys, feed tokens, operator tokens and cookies. */
const SECRET = /\b(fg_[a-z]+_)\w+/g

let count = 0
const last: Exchange[] = []

/** `asked`: the method and the target. */
export function noteAnswer(asked: string, status: number, headers: Headers, body: Buffer): void {
  count += 1
  // A copy, because a view would keep the whole body in memory.
  const start = body.toString('utf8', 0, BODY_CHARACTERS)
  const more = body.length > BODY_CHARACTERS ? `… (${body.length} bytes)` : ''
  last.push({ number: count, asked, status, headers, body: start + more })
  if (last.length > SHOWN) last.shift()
}

// Other programs than tests use the harness too. A hook would make them report as tests do.
const isTest =
  process.env.NODE_TEST_CONTEXT !== undefined ||
  process.execArgv.some((argument) => argument.startsWith('--test'))

if (isTest) {
  /** How many answers came before a test began. */
  const before = new Map<string, number>()
  beforeEach((t) => void before.set((t as TestContext).fullName, count))
  afterEach((t) => {
    // The types of Node.js 24 lack it.
    const { fullName, error } = t as TestContext & { readonly error?: Error | null }
    if (error) explain(error, fullName, before.get(fullName) ?? 0)
    before.delete(fullName)
  })
}

/** Adds the statement and the exchanges to what reporters print of an error: its stack. */
function explain(failure: Error, statement: string, since: number): void {
  const error = failure.cause instanceof Error ? failure.cause : failure
  const exchanges = last.filter(({ number }) => number > since).map(formatExchange)
  const text = [`The statement: ${statement}`, ...exchanges].join('\n').replaceAll(SECRET, '$1…')
  const [message, ...frames] = (error.stack ?? `${error}`).split(/(?=\n {4}at )/)
  error.stack = `${message}\n${text}${frames.join('')}`
}

function formatExchange({ asked, status, headers, body }: Exchange): string {
  const shown = Object.entries(headers)
    .filter(([name]) => HEADERS.test(name))
    .map(([name, value]) => `\n  ${name}: ${value}`)
  const text = 'content-encoding' in headers ? 'a coded body' : body
  return `${asked} -> ${status}${shown.join('')}\n  ${text}`
}
