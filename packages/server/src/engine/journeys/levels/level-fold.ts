import { type LevelRow, type LevelSettings, type Sample, SampleReader } from './samples.ts'
import { isSettled, levelAt, MAX_SIDE, type Stretch } from './smoothing.ts'

/*
 * The levels and events of one object, from its samples in order. docs/design/levels.md has the rules. The steps:
 * `findChange` smooths sample by sample until the level is beyond the threshold, `follow` looks where that change began
 * and ended, and `end` makes the event and cuts the smoothing there.
 */

/** The level at a sample, in units of the level. */
export type LevelPoint = {
  readonly time: number
  readonly level: number
  /** Sums since the first sample. They rise from the start to the end of an event as its level does. */
  readonly filled: number
  readonly drained: number
}

export type LevelEvent = {
  readonly kind: 'filled' | 'drained'
  /** The times of the last sample before the change and of the first one after it. */
  readonly start: number
  readonly end: number
  readonly before: number
  readonly after: number
  /** Whether later samples may still change it. */
  readonly isOpen: boolean
}

export type Levels = { readonly points: LevelPoint[]; readonly events: LevelEvent[] }

/** An event starts at most this many samples before the one that shows it. */
const LOOK_BACK = 200

/** The newest samples whose levels a later event may change. */
export const UNSETTLED = LOOK_BACK + MAX_SIDE

/** A standing object's change has ended after this time without more of it. Two fillings at one pump are one. */
const QUIET_MS = 3_600_000

/** A change of level from the sample `from` to the sample `to`. */
type Change = Pick<LevelEvent, 'kind' | 'isOpen'> & { readonly from: number; readonly to: number }

/** All that later samples need. */
type State = {
  /** The samples that are not settled, and those before them in their windows. */
  samples: Sample[]
  /** The levels of the first of them while no later event is known. */
  levels: number[]
  /** The end of the last event, whose level is certain, or the first sample. */
  cut: number
  isAfterEvent: boolean
  /** The first sample whose level was not returned yet, and the first that was not searched for a change. */
  first: number
  next: number
  /** The lowest level before `first` and before `next`, less what events changed since then. */
  settledLow: number
  low: number
  /** The highest level before `next`, less what was usable since then. */
  high: number
  filled: number
  drained: number
}

function noState(): State {
  return {
    samples: [],
    levels: [],
    cut: 0,
    isAfterEvent: false,
    first: 0,
    next: 0,
    settledLow: Number.POSITIVE_INFINITY,
    low: Number.POSITIVE_INFINITY,
    high: Number.NEGATIVE_INFINITY,
    filled: 0,
    drained: 0,
  }
}

export class LevelFold {
  private readonly settings: LevelSettings
  private readonly reader: SampleReader
  private readonly state: State

  constructor(
    settings: LevelSettings,
    reader = new SampleReader(settings.threshold),
    state = noState(),
  ) {
    this.settings = settings
    this.reader = reader
    this.state = state
  }

  /** Takes the next row. Returns what no later row changes. */
  add(row: LevelRow): Levels {
    const settled: Levels = { points: [], events: [] }
    const sample = this.reader.take(row)
    if (sample === null) return settled
    this.state.samples.push(sample)
    this.search(settled, false)
    this.settle(this.state.next - UNSETTLED, settled)
    this.forget()
    return settled
  }

  /** The levels and events after the settled ones, as they are if no later row comes. */
  tail(): Levels {
    const tail: Levels = { points: [], events: [] }
    const end = this.copy()
    end.search(tail, true)
    end.settle(end.state.samples.length, tail)
    return tail
  }

  /** A fold that continues from here, without effect on this one. */
  copy(): LevelFold {
    const { samples, levels } = this.state
    const state = { ...this.state, samples: samples.slice(), levels: levels.slice() }
    return new LevelFold(this.settings, this.reader.copy(), state)
  }

  private search(found: Levels, isEnd: boolean): void {
    const { state } = this
    while (state.next < state.samples.length && (isEnd || this.isSettled(state.next))) {
      const { next } = state
      const level = this.levelOf(next)
      const low = Math.min(state.low, level)
      const high = Math.max(state.high - state.samples[next]!.usable, level)
      const { threshold } = this.settings
      const kind = level - low > threshold ? 'filled' : high - level > threshold ? 'drained' : null
      if (kind !== null) {
        const change = this.follow(kind, kind === 'filled' ? low : high, isEnd)
        if (change === null) return
        this.end(change, found)
        continue
      }
      state.low = low
      state.high = high
      state.next += 1
    }
  }

  /** Where a change that shows at the next sample starts and ends. Null: later samples decide that. */
  private follow(kind: LevelEvent['kind'], base: number, isEnd: boolean): Change | null {
    const { samples, levels, next, cut } = this.state
    const { threshold, halfWindow } = this.settings
    const sign = kind === 'filled' ? 1 : -1
    const step = threshold / 8
    let best = next
    let usable = 0
    let isOpen = true
    for (let at = next + 1; at < samples.length; at += 1) {
      if (!isEnd && !this.isSettled(at)) return null
      if (kind === 'drained') usable += samples[at]!.usable
      const more = sign * (this.levelOf(at) - levels[best]!)
      if (more > step + usable) {
        best = at
        usable = 0
      }
      const age = samples[at]!.time - samples[best]!.time
      const isQuiet = age > (samples[at]!.isMoving ? halfWindow : QUIET_MS) && at - best >= 2
      if (!isQuiet && more >= -threshold) continue
      isOpen = false
      break
    }
    if (isOpen && !isEnd) return null
    const earliest = Math.max(cut, next - LOOK_BACK)
    let from = next - 1
    while (from > earliest && sign * (levels[from]! - base) > step) from -= 1
    let to = from + 1
    while (sign * (levels[best]! - levels[to]!) > step) to += 1
    return { kind, from, to, isOpen: isOpen || isEnd }
  }

  /** Makes the event of a change. The levels before it and after it are smoothed apart. */
  private end({ kind, from, to, isOpen }: Change, found: Levels): void {
    const { state } = this
    const { samples, levels, cut, isAfterEvent } = state
    const sign = kind === 'filled' ? 1 : -1
    for (let at = Math.max(state.first, from - MAX_SIDE); at < from; at += 1) {
      if (at > cut || !isAfterEvent) levels[at] = this.cutLevelOf(at, { from: cut, to: from })
    }
    this.settle(from, found)
    const isKnown = isAfterEvent && from === cut
    let before = isKnown ? levels[cut]! : this.cutLevelOf(from, { from: cut, to: from })
    let after = this.cutLevelOf(to, { from: to, to: samples.length - 1 })
    before = Math.min(before, this.highest())
    // An event has at least the threshold, although smoothing apart may leave less.
    const amount = Math.max(this.settings.threshold, sign * (after - before))
    if (sign > 0 && !isKnown) before = after - amount
    else after = before + sign * amount
    levels[from] = before
    this.settle(from + 1, found)
    let level = before
    for (let at = from + 1; at <= to; at += 1) {
      const value = at === to ? after : samples[at]!.value
      const farther = sign > 0 ? Math.max(level, value) : Math.min(level, value)
      level = sign > 0 ? Math.min(farther, after) : Math.max(farther, after)
      const part = Math.abs(level - before)
      found.points.push(this.point(at, level, kind, part))
    }
    state[kind] += amount
    found.events.push({
      kind,
      start: samples[from]!.time,
      end: samples[to]!.time,
      before,
      after,
      isOpen,
    })
    this.continueAfter(to, after, sign * amount)
  }

  private continueAfter(to: number, after: number, change: number): void {
    const { state } = this
    state.levels.length = to
    state.levels[to] = after
    state.cut = to
    state.isAfterEvent = true
    state.first = to + 1
    state.next = to + 1
    state.settledLow += change
    state.low = state.settledLow
    state.high = after
  }

  /** The highest level that the next point may have: what rises farther was filled in. */
  private highest(): number {
    return this.state.settledLow + this.settings.threshold
  }

  /** Returns the points before an index. */
  private settle(end: number, { points }: Levels): void {
    const { state } = this
    for (; state.first < end; state.first += 1) {
      const { first, settledLow, levels } = state
      const level = Math.min(levels[first]!, this.highest())
      levels[first] = level
      state.settledLow = Math.min(settledLow, level)
      points.push(this.point(first, level, 'filled', 0))
    }
  }

  /** Forgets samples that no window needs. */
  private forget(): void {
    const { state } = this
    const forgotten = state.first - MAX_SIDE - 1
    if (forgotten < UNSETTLED) return
    state.samples.splice(0, forgotten)
    state.levels.splice(0, forgotten)
    state.isAfterEvent &&= state.cut >= forgotten
    state.cut = Math.max(0, state.cut - forgotten)
    state.first -= forgotten
    state.next -= forgotten
  }

  private point(at: number, level: number, kind: LevelEvent['kind'], part: number): LevelPoint {
    const { samples, filled, drained } = this.state
    const point = { time: samples[at]!.time, level, filled, drained }
    return { ...point, [kind]: point[kind] + part }
  }

  /** The level of a sample if no event comes after the last one. */
  private levelOf(at: number): number {
    const { samples, levels, cut } = this.state
    levels[at] ??= levelAt(samples, at, { from: cut, to: samples.length - 1 }, this.settings)
    return levels[at]
  }

  private cutLevelOf(at: number, stretch: Stretch): number {
    return levelAt(this.state.samples, at, stretch, this.settings)
  }

  private isSettled(at: number): boolean {
    return isSettled(this.state.samples, at, this.settings)
  }
}
