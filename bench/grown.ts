import { setTimeout as pause } from 'node:timers/promises'
import { untilAtRest } from './at-rest.ts'
import { type ChildServer, startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { firstAnswerMs } from './first-answer.ts'
import { residentBytes } from './processor.ts'
import { type Figure, isSmall, overRounds, progress } from './report.ts'
import { getRequest, rotation } from './requests.ts'

export type Asking = { path: string; key: string }

/** A data folder of one of the compared sizes. */
export type Grown = {
  /** As in 'among 1,000 objects'. */
  name: string
  folder: string
  /** The requests of each kind, for ten organizations at least. */
  asking: Record<string, Asking[]>
}

/** Requests of one kind in a burst. All sizes get equally many, so that all servers are equally warm. */
const BURST = 40
const CONNECTIONS = 8
/** Less than half of the requests that ten organizations may send in a window, for two kinds. */
const WINDOW_MS = 10_100
const WARM_UP_ROUNDS = isSmall ? 1 : 8
const ROUNDS = isSmall ? 2 : 12
const STARTS = isSmall ? 1 : 5

/** Measures the start, the memory at rest, and each kind of request for each size, the smallest first. */
export async function measureGrown(sizes: Grown[]): Promise<Figure[]> {
  const starts = await startFigures(sizes)
  await using servers = new AsyncDisposableStack()
  const grown: { size: Grown; server: ChildServer; next: Record<string, () => Buffer> }[] = []
  const memory: Figure[] = []
  for (const size of sizes) {
    progress(`${size.name}: until it rests`)
    const server = servers.use(await startFleetgate(size.folder))
    await untilAtRest(server.pid)
    const value = residentBytes(server.pid) / 2 ** 20
    memory.push({ name: `memory at rest, ${size.name}`, value, unit: 'MB' })
    grown.push({ size, server, next: requestsOf(size) })
  }

  async function measure(kind: string): Promise<Map<Grown, number>> {
    const paces = new Map<Grown, number>()
    for (const { size, server, next } of grown) {
      let left = BURST
      const give = () => (left-- > 0 ? next[kind]!() : undefined)
      const burst = await closedLoop(server, give, CONNECTIONS, Infinity)
      if (burst.others > 0) throw new Error(`${burst.others} answers were not 200`)
      paces.set(size, burst.perProcessorSecond)
    }
    return paces
  }

  const kinds = Object.keys(sizes[0]!.asking)
  const rounds: Record<string, Map<Grown, number>>[] = []
  for (let i = -WARM_UP_ROUNDS; i < ROUNDS; i++) {
    progress(i < 0 ? 'warming up' : `round ${i + 1} of ${ROUNDS}`)
    const round: (typeof rounds)[number] = {}
    for (const kind of kinds) round[kind] = await measure(kind)
    if (i >= 0) rounds.push(round)
    await pause(WINDOW_MS)
  }
  const [smallest, largest] = [sizes[0]!, sizes.at(-1)!]
  return [
    ...starts,
    ...memory,
    ...kinds.flatMap((kind) => [
      {
        name: `${kind}, ${largest.name}, of that ${smallest.name}`,
        ...overRounds(rounds, (round) => round[kind]!.get(largest)! / round[kind]!.get(smallest)!),
        unit: 'times',
      },
      ...sizes.map((size) => ({
        name: `${kind}, ${size.name}, by processor second`,
        ...overRounds(rounds, (round) => round[kind]!.get(size)!),
        unit: 'requests',
      })),
    ]),
  ]
}

async function startFigures(sizes: Grown[]): Promise<Figure[]> {
  const rounds: Map<Grown, number>[] = []
  for (let i = 0; i <= STARTS; i++) {
    progress(`starts: ${i === 0 ? 'warming up' : `round ${i} of ${STARTS}`}`)
    const round = new Map<Grown, number>()
    for (const size of sizes) {
      const { path, key } = Object.values(size.asking)[0]![i]!
      round.set(size, await firstAnswerMs(size.folder, path, key))
    }
    if (i > 0) rounds.push(round)
  }
  return sizes.map((size) => ({
    name: `start, ${size.name}`,
    ...overRounds(rounds, (round) => round.get(size)!),
    unit: 'ms',
  }))
}

function requestsOf({ asking }: Grown): Record<string, () => Buffer> {
  return Object.fromEntries(
    Object.entries(asking).map(([kind, all]) => [
      kind,
      rotation(all.map(({ path, key }) => getRequest(path, { 'x-api-key': key }))),
    ]),
  )
}
