import { setTimeout as pause } from 'node:timers/promises'
import { keepTickShape } from './http-server.ts'

/**
 * Prints by how much a next tick takes longer after garbage collections of an idle process. The argument `kept` calls
 * `keepTickShape` first. Needs `--expose-gc`.
 */
const TICKS = 50_000
const ROUNDS = 6
const COLLECTIONS = 4
/** The process must have been idle at each collection. */
const IDLE_MS = 20

if (process.argv[2] === 'kept') keepTickShape()
const before = await fastestRound()
for (let i = 0; i < COLLECTIONS; i++) {
  await pause(IDLE_MS)
  gc!()
}
console.log((await fastestRound()) / before)

/** Microseconds of processor time. */
async function fastestRound(): Promise<number> {
  let fastest = Infinity
  for (let i = 0; i < ROUNDS; i++) fastest = Math.min(fastest, await round())
  return fastest
}

function round(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const start = process.cpuUsage()
  let ticks = 0
  process.nextTick(function next() {
    ticks += 1
    if (ticks < TICKS) return process.nextTick(next)
    const { user, system } = process.cpuUsage(start)
    resolve(user + system)
  })
  return promise
}
