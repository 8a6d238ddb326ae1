import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** V8's own size. */
let growthFactor = 2

/**
 * Keeps V8's space for new objects below a number of bytes. Call it now and then. V8 doubles the space,
 * up to 128 MiB, whenever as much as it holds has survived in it, and hardly ever shrinks it. Forbidding
 * growth from the start, at 1 MB, would cost a fifth of the request rate.
 */
export function boundYoungGeneration(mostBytes: number): void {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  const factor = space !== undefined && 2 * space.space_size > mostBytes ? 1 : 2
  if (factor !== growthFactor) setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  growthFactor = factor
}

/**
 * The limit of a server: half of V8's own, with the same request rate. A quarter would cost a tenth of
 * it.
 */
const SERVING_BYTES = 64 * 1024 * 1024
/** Shorter than the time in which it could double twice. */
const LOOK_EVERY_MS = 250

/**
 * Limits the space while this process serves. With V8's choice memory would grow for hours. Does nothing
 * if the operator chose another size.
 */
export function boundWhileServing(): void {
  if (/semi-space/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '))) return
  setInterval(() => boundYoungGeneration(SERVING_BYTES), LOOK_EVERY_MS).unref()
}
