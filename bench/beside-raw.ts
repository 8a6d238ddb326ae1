import { setTimeout as pause } from 'node:timers/promises'
import type { CapturedAnswer } from './captured-answer.ts'
import type { ChildServer } from './child-server.ts'
import { closedLoop, type Round } from './closed-loop.ts'
import { startRaw } from './raw.ts'
import { type Figure, found, isSmall, overRounds, progress } from './report.ts'

/** A request as it goes over the wire, of many organizations, none of which asks more than it may. */
export type Burst = {
  name: string
  requests: readonly Buffer[]
  /** What each of them is answered, but for the values of an organization. */
  answer: CapturedAnswer
  /** Share of the raw server's pace that is demanded. */
  atLeast?: number
}

/** How often one organization may ask in one burst, the requests that fetch an answer to repeat aside. */
export const REQUESTS_EACH = 9
const WINDOW_MS = 10_000
const CONNECTIONS = 64
const ROUNDS = isSmall ? 2 : 5
/** After so many answers, or so many bursts, code has been compiled that is to run fast. */
const WARM_UP_REQUESTS = 10_000
const MOST_WARM_UPS = isSmall ? 1 : 4

/**
 * Bursts of a server in turn with the same of a raw one, on the same processor and from the same
 * client. In between the server rests until the windows of all who have asked are empty.
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
  const warmUps = Math.min(MOST_WARM_UPS, Math.ceil(WARM_UP_REQUESTS / requests.length))
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
      // Does not depend on whether the client, or others on the machine, slow one server more.
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
