import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** V8's own. */
let growthFactor = 2

/**
 * Keeps V8's space for new objects from growing beyond so many bytes; to be called now and then. V8 doubles
 * it, up to 128 MiB, whenever as much as it holds has survived in it, and hardly ever makes it smaller. To
 * forbid growth from the start, with the space at 1 MB, would cost a fifth of the rate.
 */
export function boundYoungGeneration(mostBytes: number): void {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  const factor = space !== undefined && 2 * space.space_size > mostBytes ? 1 : 2
  if (factor !== growthFactor) setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  growthFactor = factor
}

/** Of a server: half of V8's own, for which it answers as many requests; with a quarter a tenth fewer. */
const SERVING_BYTES = 64 * 1024 * 1024
/** Before it has doubled twice. */
const LOOK_EVERY_MS = 250

/**
 * Does so for as long as this process serves: with what V8 chooses it would use more memory by the hour. Not
 * where whoever started it chose another size.
 */
export function boundWhileServing(): void {
  if (/semi-space/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '))) return
  setInterval(() => boundYoungGeneration(SERVING_BYTES), LOOK_EVERY_MS).unref()
}
