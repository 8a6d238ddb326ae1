import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import { talk } from './conversation.ts'
import { PREFIX } from './description.ts'
import { type Expectation, expectationOf } from './expectation.ts'
import type { Line } from './line.ts'
import { mutilated } from './raw-shapes.ts'
import { brokenRequest, bytesOf, type FuzzRequest, fuzzRequest, openRequest } from './requests.ts'
import { tenantOf, WINDOW, type World } from './world.ts'

const WITHIN = 9
const BEYOND = 16

/** Sends the batch of a seed, and judges the answers. */
export async function playBatch(world: World, line: Line, seed: number): Promise<void> {
  const random = seeded('fuzz', seed)
  const kind = random.next()
  if (kind < 0.04) await raw(world, line, seed, random)
  else if (kind < 0.05) await mutilate(world, line, seed, random)
  else if (kind < 0.08) await cut(world, line, seed, random)
  else if (kind < 0.12) await talk(world, line, seed, random)
  else await pipeline(world, line, seed, random)
}

export type Asked = { request: FuzzRequest; expectation: Expectation }

async function pipeline(world: World, line: Line, seed: number, random: Random): Promise<void> {
  const { tenants, tally, judge } = world
  const tenant = tenants[tenantOf(world, seed)]!
  const asked = requestsOf(world, seed, random)
  const bytes = Buffer.from(asked.map(({ request }) => bytesOf(request)).join(''), 'latin1')
  const heads = asked.map(({ request }) => request.method === 'HEAD')
  const started = performance.now()
  const { answers, fault, rest } = await line.exchange(
    bytes,
    heads,
    asked.at(-1)!.expectation.isClosing,
  )
  tally.requests += answers.length
  if (fault !== undefined) {
    const detail = `after ${answers.length} of ${asked.length} answers: ${JSON.stringify(rest)}`
    tally.fault({ kind: fault, seed, sent: bytes, detail })
  }
  for (const [i, answer] of answers.entries()) {
    const { request, expectation } = asked[i]!
    const isRefused = expectation.isCounted && answer.status === 429
    const expected = isRefused ? { ...expectation, outcomes: ['429 ERR999'] } : expectation
    const found = judge(request, expected, answer, tenant)
    if (found !== undefined) tally.fault({ ...found, seed, sent: bytesOf(request) })
    if (expectation.isCounted && ![403, 429].includes(answer.status)) tally.past++
  }
  const isOneWindow = performance.now() - started < WINDOW.ms
  const counted = answers.filter((_, i) => asked[i]!.expectation.isCounted)
  const found = isOneWindow && fault === undefined ? windowFault(counted) : undefined
  if (found !== undefined) {
    tally.fault({ kind: 'a window of other than 10 requests', seed, sent: bytes, detail: found })
  }
}

/** The fault of the answers to one organization within one window, which was empty before. */
function windowFault(
  answers: { status: number; headers: Map<string, string[]> }[],
): string | undefined {
  const admitted = answers.filter(({ status }) => status !== 429)
  const wanted = Math.min(WINDOW.requests, answers.length)
  if (admitted.length !== wanted) return `${admitted.length} admitted of ${answers.length}`
  const remaining = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  remaining.sort((a, b) => b - a)
  const isRight = remaining.every((each, i) => each === WINDOW.requests - 1 - i)
  return isRight ? undefined : `remaining requests were reported as ${remaining}`
}

/** The requests that a client sends in one piece. At most one of them ends the connection, as the last. */
function requestsOf(world: World, seed: number, random: Random): Asked[] {
  const { operations, tenants } = world
  const own = tenantOf(world, seed)
  const tenant = tenants[own]!
  const foreignKey = tenants[(own + 1) % tenants.length]!.key
  const many = random.chance(0.1) ? BEYOND : WITHIN
  const requests = Array.from({ length: many + 2 }, (_, i) =>
    i % 6 === 5 ? openRequest(random) : fuzzRequest(operations, tenant, foreignKey, random),
  )
  if (random.chance(0.04)) addBody(requests.at(-1)!, random)
  const asked = requests
    .filter(isSurelyTaken)
    .map((request) => ({ request, expectation: expectationOf(request, operations, tenant) }))
  const lasting = asked.filter(({ expectation }) => !expectation.isClosing)
  const closing = asked.filter(({ expectation }) => expectation.isClosing).slice(0, 1)
  if (closing.length > 0 || !random.chance(0.05)) return [...lasting, ...closing]
  return [...lasting, { request: brokenRequest(random), expectation: BROKEN }]
}

/** Whether it is within the limits of 32 KiB and some hundred headers; raw shapes exceed them. */
function isSurelyTaken(request: FuzzRequest): boolean {
  return bytesOf(request).length < 20_000 && request.headers.length < 600
}

const BROKEN: Expectation = {
  operation: 'none',
  outcomes: ['400 ERR999'],
  isCounted: false,
  isClosing: true,
}

function addBody(request: FuzzRequest, random: Random): void {
  if (request.headers.some(([name]) => name === 'Content-Length')) return
  request.body = random.pick([
    '{"id":1}',
    'x'.repeat(random.whole(1, 5_000)),
    '\0\xff',
    'GET / HTTP/1.1\r\n\r\n',
  ])
  request.headers.push(['Content-Length', `${request.body.length}`])
}

async function raw(world: World, line: Line, seed: number, random: Random): Promise<void> {
  const { tally } = world
  const shape = random.pick(world.shapes)
  const sent = Buffer.from(shape.bytes, 'latin1')
  const { answers, fault, rest } = await line.exchange(sent, [false], true)
  tally.raw++
  tally.requests++
  const [answer] = answers
  const detail = `${shape.name}: ${answer?.status} ${JSON.stringify(rest)}`
  if (fault !== undefined) tally.fault({ kind: fault, seed, sent, detail })
  if (answer === undefined) return
  if (!shape.statuses.includes(answer.status)) {
    tally.fault({ kind: 'another outcome than the contract’s', seed, sent, detail })
  }
}

async function mutilate(world: World, line: Line, seed: number, random: Random): Promise<void> {
  const { tally } = world
  const sent = Buffer.from(mutilated(random), 'latin1')
  // The connection may not survive the rest of the bytes, so the next exchange uses another one.
  const { answers, fault, rest } = await line.exchange(sent, [false], false)
  line.close()
  tally.raw++
  tally.requests++
  const status = answers[0]?.status ?? 0
  if (status >= 500) tally.fault({ kind: 'a 5xx', seed, sent, detail: `${status}` })
  else if (fault !== undefined) {
    tally.fault({ kind: fault, seed, sent, detail: `${status} ${JSON.stringify(rest)}` })
  }
}

const PING: FuzzRequest = {
  method: 'GET',
  target: `${PREFIX}/ping`,
  headers: [['Host', 'localhost']],
  body: '',
}

/** A cut connection must not affect other clients. The ping shows that the server has read the sent bytes. */
async function cut(world: World, line: Line, seed: number, random: Random): Promise<void> {
  const asked = requestsOf(world, seed, random)
  const text = asked.map(({ request }) => bytesOf(request)).join('')
  const whole = random.chance(0.5)
  const bytes = Buffer.from(whole ? text : text.slice(0, random.whole(1, text.length)), 'latin1')
  await line.cut(bytes, whole)
  world.tally.cut++
  await line.exchange(Buffer.from(bytesOf(PING)), [false], false)
}
