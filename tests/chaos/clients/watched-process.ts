import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { residentBytes } from '../../../bench/processor.ts'

const SAMPLE_MS = 100
const MEGABYTE = 2 ** 20
/** Memory is steady after it has remained within this range for the settling time. */
const STEADY_BYTES = 2 * MEGABYTE
const STEADY_SAMPLES = 30
const SETTLE_SAMPLES = 120

/** The peak memory of a process since the watch began, minus its memory then. */
export type MemoryWatch = Disposable & { readonly rest: number; grown(): number }

export function watchMemory(pid: number, rest = residentBytes(pid)): MemoryWatch {
  let most = rest
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, SAMPLE_MS)
  return {
    rest,
    grown: () => most - rest,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Resident bytes after memory has become steady, or after twelve seconds at the latest. */
export async function settledBytes(pid: number): Promise<number> {
  const samples: number[] = []
  for (let i = 0; i < SETTLE_SAMPLES; i++) {
    samples.push(residentBytes(pid))
    const last = samples.slice(-STEADY_SAMPLES)
    const isSteady = Math.max(...last) - Math.min(...last) <= STEADY_BYTES
    if (last.length === STEADY_SAMPLES && isSteady) break
    await wait(SAMPLE_MS)
  }
  return samples.at(-1)!
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/**
 * Waits until a process has at most this many descriptors. Resolves with their number, at the latest when the
 * timeout ends, and with the elapsed time.
 */
export async function descriptorsFall(
  pid: number,
  atMost: number,
  patienceMs: number,
): Promise<{ left: number; tookMs: number }> {
  const start = performance.now()
  for (;;) {
    const left = descriptorsOf(pid)
    const tookMs = performance.now() - start
    if (left <= atMost || tookMs > patienceMs) return { left: Math.max(0, left - atMost), tookMs }
    await wait(SAMPLE_MS)
  }
}

export function inMegabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}
