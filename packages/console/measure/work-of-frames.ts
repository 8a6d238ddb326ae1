type TraceEvent = {
  name: string
  ph: string
  ts: number
  dur?: number
  /** Time in which the thread itself ran, without the time of other processes. */
  tdur?: number
  pid: number
  tid: number
  args?: { name?: string }
}

/** The event that begins the page's work for a frame; callbacks of animation frames run within it. */
const FRAME = 'FireAnimationFrame'

/** Milliseconds, each list ascending. */
export type Work = {
  /** Processor time of the thread. */
  cpu: number[]
  /** By the clock: on a machine that does other work as well, with the waiting for a processor. */
  wall: number[]
  /** Processor time of what began within each 1/60 s in which anything did. */
  slots: number[]
}

/**
 * How much the page's main thread worked from each animation frame to the next. Tasks are taken
 * whole: scripts, garbage collection, styles, layout and what hands a frame over.
 */
export function workOfFrames(trace: Buffer): Work {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const main = mainThread(traceEvents)
  const own = traceEvents.filter(({ pid, tid }) => pid === main.pid && tid === main.tid)
  const tasks = own
    .filter(({ name, ph }) => name === 'RunTask' && ph === 'X')
    .concat(own.filter(({ name, ph }) => name === 'ThreadControllerImpl::RunTask' && ph === 'X'))
    .sort((one, other) => one.ts - other.ts)
  const frames = own.filter(({ name }) => name === FRAME).map(({ ts }) => ts)
  frames.sort((one, other) => one - other)
  const ascending = (one: number, other: number) => one - other
  return {
    cpu: sums(tasks, frames, ({ tdur, dur }) => tdur ?? dur!).sort(ascending),
    wall: sums(tasks, frames, ({ dur }) => dur!).sort(ascending),
    slots: slots(tasks).sort(ascending),
  }
}

/** The renderer's main thread on which animation frames run. */
function mainThread(events: TraceEvent[]): { pid: number; tid: number } {
  const counts = new Map<string, number>()
  for (const { name, pid, tid } of events) {
    if (name === FRAME) counts.set(`${pid} ${tid}`, (counts.get(`${pid} ${tid}`) ?? 0) + 1)
  }
  const [most] = [...counts].sort((one, other) => other[1] - one[1])
  if (most === undefined) throw new Error('The trace tells of no animation frame.')
  const [pid, tid] = most[0].split(' ').map(Number) as [number, number]
  return { pid, tid }
}

/** Where few frames are drawn, much time passes between two: this is by the frames of a screen. */
function slots(tasks: TraceEvent[]): number[] {
  const sums = new Map<number, number>()
  let end = Number.NEGATIVE_INFINITY
  for (const { ts, dur, tdur } of tasks) {
    if (ts < end) continue
    end = ts + dur!
    const slot = Math.floor((ts * 60) / 1_000_000)
    sums.set(slot, (sums.get(slot) ?? 0) + (tdur ?? dur!) / 1000)
  }
  return [...sums.values()]
}

/**
 * Tasks belong to the frame in whose time they begin. A frame's own task begins before its callbacks do, so each
 * boundary is moved to the beginning of the task that it is in.
 */
function sums(
  tasks: TraceEvent[],
  frames: number[],
  length: (task: TraceEvent) => number,
): number[] {
  const starts = [...new Set(frames.map((frame) => taskAround(tasks, frame)))]
  const found: number[] = []
  let at = 0
  let end = Number.NEGATIVE_INFINITY
  for (let frame = 0; frame + 1 < starts.length; frame++) {
    let sum = 0
    while (at < tasks.length && tasks[at]!.ts < starts[frame]!) at++
    for (; at < tasks.length && tasks[at]!.ts < starts[frame + 1]!; at++) {
      const task = tasks[at]!
      // Tasks within tasks are counted once.
      if (task.ts < end) continue
      end = task.ts + task.dur!
      sum += length(task)
    }
    found.push(sum / 1000)
  }
  return found
}

function taskAround(tasks: TraceEvent[], moment: number): number {
  const around = tasks.findLast(({ ts, dur }) => ts <= moment && moment <= ts + dur!)
  return around?.ts ?? moment
}
