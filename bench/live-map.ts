/**
 * Compares the live stream of the console of this checkout with that of others:
 * `node bench/live-map.ts ../other [../another]`. 20,000 objects of one organization, idle or with 2,000 packets a
 * second, and zero, one and ten open streams, in alternating rounds on the same processor. `LIVE_MAP=shared` takes
 * PostgreSQL and Redis, `LIVE_MAP=frames` opens the map in Chromium instead.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCheckouts } from './checkouts.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { type Figure, isSmall, median, percentile, progress, report } from './report.ts'
import { type SharedDeployment, startSharedDeployment } from './shared-deployment.ts'
import {
  fillWatched,
  measureAnswer,
  runPhase,
  type WatchedFleet,
  type WatchedPhase,
} from './watched-fleet.ts'
import { measureFrames } from './watched-frames.ts'

const ROUNDS = isSmall ? 1 : 3
const SECONDS = isSmall ? 2 : 6
const PACKETS_A_SECOND = [0, 2_000]
const STREAMS = [0, 1, 10]

type Phase = { packets: number; streams: number }
type Measured = { name: string; fleet: WatchedFleet; rounds: Map<string, WatchedPhase[]> }

const isShared = process.env.LIVE_MAP === 'shared'
const isFrames = process.env.LIVE_MAP === 'frames'
const phases = PACKETS_A_SECOND.flatMap((packets) =>
  STREAMS.map((streams): Phase => ({ packets, streams })),
)
const keyOf = ({ packets, streams }: Phase) => `${packets} packets/s, ${streams} streams`

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const figures: Figure[] = []
{
  await using opened = new AsyncDisposableStack()
  const shared = isShared ? opened.use(await startSharedDeployment()) : undefined
  const measured: Measured[] = []
  for (const [index, checkout] of (await openCheckouts()).entries()) {
    const name = index === 0 ? 'this checkout' : checkout.name
    progress(`filling ${name}`)
    const place = await placeOf(shared)
    const fleet = await fillWatched(checkout, join(folder.path, String(index)), place)
    measured.push({ name, fleet: opened.use(fleet), rounds: new Map() })
  }
  if (isFrames) {
    for (const { name, fleet } of measured) figures.push(...(await measureFrames(name, fleet)))
  } else {
    if (!isShared) pin(process.pid, CLIENT_PROCESSOR)
    await measureRounds(measured)
    for (const each of measured) figures.push(...figuresOf(each))
    figures.push(...(await figuresOfAnswers(measured[0]!.fleet)))
  }
}
report('The live map of several checkouts', figures)

/** The options of `fleetgate serve` for a database of its own. Undefined: a data folder. */
async function placeOf(shared: SharedDeployment | undefined) {
  if (shared === undefined) return undefined
  return { database: await shared.newDatabase(), redis: shared.redis.url }
}

/** Round 0 warms the servers up. */
async function measureRounds(measured: readonly Measured[]): Promise<void> {
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const phase of phases) {
      progress(`round ${round} of ${ROUNDS}: ${keyOf(phase)}`)
      for (const { fleet, rounds } of measured) {
        const result = await runPhase(fleet, phase.packets, phase.streams, SECONDS)
        if (round === 0) continue
        rounds.set(keyOf(phase), [...(rounds.get(keyOf(phase)) ?? []), result])
      }
    }
  }
}

/** The answers that the console asks for now and then, in addition to the stream. */
async function figuresOfAnswers(fleet: WatchedFleet): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, below] of Object.entries({ 'list of objects': '/objects', summary: '' })) {
    const { processorMs, bytes } = await measureAnswer(fleet, below)
    figures.push(
      { name: `${name}, processor`, value: processorMs, unit: 'ms' },
      { name: `${name}, bytes`, value: bytes / 1024, unit: 'KiB' },
    )
  }
  return figures
}

function figuresOf({ name, rounds }: Measured): Figure[] {
  return phases.flatMap((phase): Figure[] => {
    const runs = rounds.get(keyOf(phase))!
    const base = rounds.get(keyOf({ ...phase, streams: 0 }))!
    const about = `${name}, ${keyOf(phase)}`
    // Other work of the machine adds to a round, and never takes away from it.
    const used = (all: WatchedPhase[]) => Math.min(...all.map((each) => each.processorMs))
    const total = { name: `${about}, processor`, value: used(runs), unit: 'ms a second' }
    if (phase.streams === 0) return [total]
    const sum = (of: (each: WatchedPhase) => number) => median(runs.map(of))
    const times = runs.flatMap((each) => each.latenciesMs)
    return [
      total,
      { name: `${about}, of the streams`, value: used(runs) - used(base), unit: 'ms a second' },
      { name: `${about}, bytes`, value: sum((each) => each.bytes) / 1024, unit: 'KiB a second' },
      { name: `${about}, events of a stream`, value: sum((each) => each.events), unit: 'a second' },
      ...(phase.packets === 0
        ? []
        : [
            { name: `${about}, packet to event, p50`, value: percentile(times, 0.5), unit: 'ms' },
            { name: `${about}, packet to event, p99`, value: percentile(times, 0.99), unit: 'ms' },
            { name: `${about}, missing`, value: sum((each) => each.missing), unit: 'packets' },
          ]),
    ]
  })
}
