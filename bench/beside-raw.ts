import { setTimeout as pause } from 'node:timers/promises'
import type { CapturedAnswer } from './captured-answer.ts'
import type { ChildServer } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { startRaw } from './raw.ts'
import { type Figure, found, isSmall, overRounds, progress } from './report.ts'

/** A request in wire format from many organizations, each within its rate limit. */
export type Burst = {
  name: string
  requests: readonly Buffer[]
  /** The answer to each of them, except values of the organization. */
  answer: CapturedAnswer
  /** The required share of the raw server's rate. */
  atLeast?: number
}

/** Requests of one organization in one burst, without the one that fetches the answer to repeat. */
export const REQUESTS_EACH = 9
const WINDOW_MS = 10_000
const CONNECTIONS = 64
const ROUNDS = isSmall ? 2 : 5
/** After this many answers or bursts, the hot code has been compiled. */
const WARM_UP_REQUESTS = 10_000
const MAX_WARM_UPS = isSmall ? 1 : 4

/**
 * Alternates bursts to a server and to a raw one, on the same processor and from the same client. The server
 * rests between them until the windows of all organizations are empty.
 */
export async function besideRaw(
  server: ChildServer,
  folder: string,
  { name, requests, answer, atLeast }: Burst,
): Promise<Figure[]> {
  await using raw = await startRaw(folder, answer)
  const burst = (asked: ChildServer) => {
    let sent = 0
    return closedLoop(asked, () => requests[sent++], CONNECTIONS, Infinity, answer.status)
  }
  const warmUps = Math.min(MAX_WARM_UPS, Math.ceil(WARM_UP_REQUESTS / requests.length))
  const rounds: { fleetgate: Round; raw: Round }[] = []
  for (let i = 1 - warmUps; i <= ROUNDS; i++) {
    progress(`${name}: ${i < 1 ? 'warming up' : `round ${i} of ${ROUNDS}`}`)
    await pause(WINDOW_MS)
    const round = { raw: await burst(raw), fleetgate: await burst(server) }
    const others = round.raw.others + round.fleetgate.others
    if (others > 0) throw new Error(`${name}: ${others} answers were not ${answer.status}`)
    if (i > 0) rounds.push(round)
  }
  const bar = atLeast === undefined ? {} : { atLeast }
  return found([
    {
      name: `${name}, of raw`,
      ...overRounds(rounds, (round) => round.fleetgate.perSecond / round.raw.perSecond),
      unit: '',
      ...bar,
    },
    {
      // Independent of whether the client, or other processes, slow down one server more.
      name: `${name}, of raw, by processor time`,
      ...overRounds(
        rounds,
        (round) => round.fleetgate.perProcessorSecond / round.raw.perProcessorSecond,
      ),
      unit: '',
      ...bar,
    },
    { name, ...overRounds(rounds, ({ fleetgate }) => fleetgate.perSecond), unit: 'requests/s' },
    { name: `${name}, raw`, ...overRounds(rounds, (r) => r.raw.perSecond), unit: 'requests/s' },
  ])
}
