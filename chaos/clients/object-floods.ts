import { setTimeout as wait } from 'node:timers/promises'
import { MAX_NEW_OBJECTS } from '../../packages/server/src/domain/object-limits.ts'
import type { Finding } from '../part.ts'
import { neighbourFinding, sendSteadily } from './bodies.ts'
import type { Attack, Target } from './target.ts'
import { inMegabytes, settledBytes, watchMemory } from './watched-process.ts'

const ROWS = 10_000
/** The number of simultaneous requests that the feed accepts from one organization. */
const AT_ONCE = 2
const MINUTE_MS = 60_000
const AGAIN_MS = 100
/** 18 requests took 1,125 MB before feed tokens had a limit. V8 collects freed memory late. */
const MAX_GROWN_BYTES = 192 * 2 ** 20

/** The results for the rows of a request. */
type Answer = { stored: number; rejects: { reason: string }[] }

/** Rows with unknown idents, as many as a request may have, of an organization that creates objects. */
export function objectFloods(requests: number): Attack {
  return {
    name: 'object floods',
    async run(target) {
      using memory = watchMemory(target.server.pid, await settledBytes(target.server.pid))
      const over = new AbortController()
      const neighbour = sendSteadily(target, over.signal)
      const startedAt = performance.now()
      const answers = await sendAll(target, requests)
      const tookMs = performance.now() - startedAt
      over.abort()
      return [
        ...objectFindings(answers, tookMs),
        {
          what: 'memory grows meanwhile',
          bar: `at most ${inMegabytes(MAX_GROWN_BYTES)}`,
          measured: inMegabytes(memory.grown()),
          met: memory.grown() <= MAX_GROWN_BYTES,
        },
        neighbourFinding(await neighbour),
      ]
    },
  }
}

async function sendAll(target: Target, requests: number): Promise<Answer[]> {
  const answers: Answer[] = []
  let sent = 0
  async function sendOn(): Promise<void> {
    while (sent < requests) {
      sent += 1
      answers.push(await send(target, sent))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return answers
}

/** Every ident is new, so each stored row creates an object. Repeats the request while the feed is full. */
async function send({ server, install }: Target, request: number): Promise<Answer> {
  const row = { time_device: Date.now(), latitude: 41, longitude: 2 }
  const rows = Array.from({ length: ROWS }, (_, i) => ({ ...row, ident: `flood-${request}-${i}` }))
  const headers = { 'x-feed-token': install.creatingToken }
  const sent = { method: 'POST', headers, body: JSON.stringify(rows) }
  for (;;) {
    const answer = await fetch(`${server.feed}/feed/v1/positions`, sent)
    const { result } = (await answer.json()) as { result?: Answer }
    if (result !== undefined) return result
    if (answer.status !== 503) throw new Error(`a flood was answered ${answer.status}`)
    await wait(AGAIN_MS)
  }
}

function objectFindings(answers: Answer[], tookMs: number): Finding[] {
  const made = answers.reduce((sum, { stored }) => sum + stored, 0)
  const most = MAX_NEW_OBJECTS * Math.ceil(tookMs / MINUTE_MS)
  const beyond = answers.length * ROWS - made
  const rejects = answers.flatMap((answer) => answer.rejects)
  const named = rejects.filter(({ reason }) => reason === 'limit_of_new_objects').length
  return [
    {
      what: `${answers.length} requests of ${ROWS.toLocaleString('en')} new idents: objects made`,
      bar: `at most ${MAX_NEW_OBJECTS} in each minute`,
      measured: `${made.toLocaleString('en')} in ${(tookMs / 1000).toFixed(1)} s`,
      met: made > 0 && made <= most,
    },
    {
      what: 'rows beyond that: rejected by the name of the limit',
      bar: 'all',
      measured: `${named} of ${beyond}`,
      met: named === beyond && named > 0,
    },
  ]
}
