import type { TimeRange } from '../../../base/domain/time/time.ts'
import {
  beginning,
  type LevelCheckpoint,
  type LevelEvent,
  type LevelPoint,
  type LevelState,
  LOOK_BACK,
  type Settled,
  UNSETTLED,
  type Unsettled,
} from './level-state.ts'
import { type LevelRow, type LevelSettings, NO_ROWS, type ReaderState, readRow } from './samples.ts'
import { isSettled, levelAt, MAX_SIDE, type Span, windowOf } from './smoothing.ts'

/*
 * The levels and events of one object, from its rows in order. docs/design/levels.md has the rules. The steps: `search`
 * smooths sample by sample until the level is beyond the threshold, `follow` looks where that change began and ended, and
 * `end` makes the event and cuts the smoothing there.
 */

/** A standing object's change has ended after this time without more of it. Two fillings at one pump are one. */
const QUIET_MS = 3_600_000

/**
 * A change has at most this many samples after the one that shows it. What rises for ever, such as a counter that somebody
 * took for a level, is several changes, so that no state grows with the rows.
 */
const MAX_CHANGE = 2_000

/** A change of level from the sample `from` to the sample `to`. */
type Change = Pick<LevelEvent, 'kind'> & { readonly from: number; readonly to: number }

export class LevelFold {
  private readonly settings: LevelSettings
  private readonly checkpoint: LevelCheckpoint | null
  private reader: ReaderState
  private state: LevelState

  /** `checkpoint`: it continues from there. Null: it takes all rows of the object. */
  constructor(settings: LevelSettings, checkpoint: LevelCheckpoint | null = null) {
    this.settings = settings
    this.checkpoint = checkpoint
    this.reader = checkpoint?.reader ?? NO_ROWS
    this.state = beginning(checkpoint)
  }

  /** Takes the next row. Returns what no later row changes. */
  add(row: LevelRow): Settled {
    const settled: Settled = { points: [], events: [] }
    const { sample, next } = readRow(this.reader, row, this.settings.threshold)
    this.reader = next
    if (sample === null) return settled
    this.state.samples.push(sample)
    if (this.isReturned(sample.time)) return settled
    this.search(settled, false)
    this.settle(this.state.next - UNSETTLED, settled)
    this.forget()
    return settled
  }

  /** The levels and events after the settled ones, as they are if no later row comes. */
  tail(): Unsettled {
    const tail: Settled = { points: [], events: [] }
    const end = this.copy()
    end.search(tail, true)
    end.settle(end.state.samples.length, tail)
    return { points: tail.points, events: tail.events.map(({ checkpoint, ...event }) => event) }
  }

  /** A fold that continues from here, without effect on this one. */
  copy(): LevelFold {
    const copy = new LevelFold(this.settings, this.checkpoint)
    const { samples, levels } = this.state
    copy.reader = this.reader
    copy.state = { ...this.state, samples: samples.slice(), levels: levels.slice() }
    return copy
  }

  /** Null: nothing was settled yet. */
  settledUpTo(): LevelCheckpoint | null {
    const { samples, levels, first, cut, isAfterEvent, reach, settledLow, settledHigh } = this.state
    if (first === 0 || first >= samples.length) return null
    return {
      time: samples[0]!.time,
      reader: samples[0]!.reader,
      first: samples[first]!.time,
      cut: isAfterEvent ? { time: samples[cut]!.time, level: levels[cut]!, reach } : null,
      low: settledLow,
      high: settledHigh,
      settledAt: this.reader.last!.time,
    }
  }

  /** Whether the fold before the checkpoint has returned the newest sample. */
  private isReturned(time: number): boolean {
    const { state, checkpoint } = this
    if (checkpoint === null || time >= checkpoint.first) return false
    const at = state.samples.length - 1
    state.first = at + 1
    state.next = at + 1
    if (time !== checkpoint.cut?.time) return true
    state.cut = at
    state.isAfterEvent = true
    state.levels[at] = checkpoint.cut.level
    state.reach = checkpoint.cut.reach
    return true
  }

  private search(found: Settled, isEnd: boolean): void {
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
    let { best, usable, at } = this.state.followed ?? { best: next, usable: 0, at: next + 1 }
    let isOpen = true
    for (; at < samples.length; at += 1) {
      if (!isEnd && !this.isSettled(at)) break
      if (kind === 'drained') usable += samples[at]!.usable
      const more = sign * (this.levelOf(at) - levels[best]!)
      if (more > step + usable) {
        best = at
        usable = 0
      }
      const age = samples[at]!.time - samples[best]!.time
      const isQuiet = age > (samples[at]!.isMoving ? halfWindow : QUIET_MS) && at - best >= 2
      const isLong = at - next >= MAX_CHANGE
      if (!isQuiet && !isLong && more >= -threshold) continue
      isOpen = false
      break
    }
    this.state.followed = isOpen && !isEnd ? { best, usable, at } : null
    if (isOpen && !isEnd) return null
    const earliest = Math.max(cut, next - LOOK_BACK)
    let from = next - 1
    while (from > earliest && sign * (levels[from]! - base) > step) from -= 1
    let to = from + 1
    while (sign * (levels[best]! - levels[to]!) > step) to += 1
    return { kind, from, to }
  }

  /** Makes the event of a change. The levels before it and after it are smoothed apart. */
  private end({ kind, from, to }: Change, found: Settled): void {
    const { state } = this
    const { samples, levels, cut, isAfterEvent } = state
    const sign = kind === 'filled' ? 1 : -1
    for (let at = Math.max(state.first, from - MAX_SIDE); at < from; at += 1) {
      if (at > cut || !isAfterEvent) levels[at] = this.cutLevelOf(at, { from: cut, to: from })
    }
    this.settle(from, found)
    const isKnown = isAfterEvent && from === cut
    const [head, rest] = [
      { from: cut, to: from },
      { from: to, to: samples.length - 1 },
    ]
    let before = isKnown ? levels[cut]! : this.cutLevelOf(from, head)
    let after = this.cutLevelOf(to, rest)
    const isLimited = before > this.highest()
    if (isLimited) before = this.highest()
    const reach = {
      // The limit comes from the lowest level so far.
      from: isLimited ? 0 : isKnown ? state.reach.from : this.windowTimes(from, head).from,
      to: this.windowTimes(to, rest).to,
    }
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
    this.continueAfter(to, after, sign * amount)
    state.reach = reach
    const times = { start: samples[from]!.time, end: samples[to]!.time }
    found.events.push({ kind, ...times, before, after, reach, checkpoint: this.eventCheckpoint() })
  }

  /** Begins after the event that has just ended. */
  private eventCheckpoint(): LevelCheckpoint {
    const { samples, levels, cut, reach, settledLow, settledHigh } = this.state
    const { time, reader } = samples[cut]!
    return {
      ...{ time, reader, first: time + 1, cut: { time, level: levels[cut]!, reach } },
      ...{ low: settledLow, high: settledHigh, settledAt: this.reader.last!.time },
    }
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
    state.settledHigh = after
    state.high = after
  }

  /** The highest level that the next point may have: what rises farther was filled in. */
  private highest(): number {
    return this.state.settledLow + this.settings.threshold
  }

  /** Returns the points before an index. */
  private settle(end: number, { points }: Settled): void {
    const { state } = this
    for (; state.first < end; state.first += 1) {
      const { first, settledLow, levels, samples } = state
      const level = Math.min(levels[first]!, this.highest())
      levels[first] = level
      state.settledLow = Math.min(settledLow, level)
      state.settledHigh = Math.max(state.settledHigh - samples[first]!.usable, level)
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
    if (state.followed === null) return
    const { best, usable, at } = state.followed
    state.followed = { best: best - forgotten, usable, at: at - forgotten }
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

  private cutLevelOf(at: number, span: Span): number {
    return levelAt(this.state.samples, at, span, this.settings)
  }

  private windowTimes(at: number, span: Span): TimeRange {
    const { samples } = this.state
    const { from, to } = windowOf(samples, at, span, this.settings.halfWindow)
    return { from: samples[from]!.time, to: samples[to]!.time }
  }

  private isSettled(at: number): boolean {
    return isSettled(this.state.samples, at, this.settings)
  }
}
