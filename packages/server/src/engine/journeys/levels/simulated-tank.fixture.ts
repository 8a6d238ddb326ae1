import type { Motion } from '../../../base/domain/position/fold-state.ts'
import { type Draws, drawsOf } from './draws.fixture.ts'

/*
 * A tank and its sensor, reckoned apart from the rules: what was in it each ten seconds, what was put in and taken out,
 * and the rows that a tracker sent of it.
 */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
const STEP = 10 * SECOND

/** Liters, liters an hour, liters a minute. */
export type Vehicle = {
  readonly capacity: number
  readonly driving: number
  readonly idling: number
  readonly pump: number
}

export const LORRY: Vehicle = { capacity: 400, driving: 28, idling: 2.5, pump: 70 }
export const VAN: Vehicle = { capacity: 60, driving: 7, idling: 0.8, pump: 35 }

/** How a sensor sees a level. Shares of the tank, and times. */
export type Sensor = {
  readonly name: string
  /** Standard deviations: of each value while driving and standing, and of a tilt that lasts for minutes. */
  readonly slosh: number
  readonly noise: number
  readonly tilt: number
  /** The height of the daily wave of temperature. */
  readonly drift: number
  /** The steps in which the level is sent. */
  readonly quantum: number
  /** The time constant of a damped gauge. */
  readonly damping: number
  /** The part of values that are 0 or full. */
  readonly spikes: number
  /** A float does not move below and above these shares. */
  readonly floor: number
  readonly ceiling: number
  /** The values that it sends while the engine is off. */
  readonly off: 'level' | 'zero' | 'old' | 'nothing'
  /** Milliseconds between values with the engine on, and off. */
  readonly every: number
  readonly everyOff: number
}

export type Row = { time: number; value: number | null; motion: Motion | null; hasDriven: boolean }

export type TrueEvent = { kind: 'filled' | 'drained'; start: number; end: number; amount: number }

export type Simulation = {
  /** Values in tenths of liters. */
  readonly rows: Row[]
  readonly events: TrueEvent[]
  /** Liters that the engine used up to each moment, by the end of each day. */
  readonly usedByDay: number[]
}

type Phase = { motion: Motion; until: number; flow: number; leaves: number }

/** Days of a vehicle from a seed. */
export function simulate(vehicle: Vehicle, sensor: Sensor, seed: number, days: number): Simulation {
  const draws = drawsOf(seed)
  const tank = new Tank(vehicle, draws)
  const gauge = new Gauge(vehicle, sensor, draws)
  const rows: Row[] = []
  const usedByDay: number[] = []
  let sentAt = Number.NEGATIVE_INFINITY
  for (let time = 0; time < days * DAY; time += STEP) {
    const motion = tank.advance(time)
    gauge.advance(time, tank.level, motion)
    const every = motion === 'stopped' ? sensor.everyOff : sensor.every
    if (time - sentAt >= every) {
      rows.push({ time, value: gauge.read(motion), motion, hasDriven: false })
      sentAt = time
    }
    if ((time + STEP) % DAY === 0) usedByDay.push(tank.used)
  }
  return { rows, events: tank.events, usedByDay }
}

class Tank {
  level: number
  used = 0
  readonly events: TrueEvent[] = []
  private readonly vehicle: Vehicle
  private readonly draws: Draws
  private phase: Phase = { motion: 'stopped', until: 6 * HOUR, flow: 0, leaves: 0 }
  private wasDriving = false

  constructor(vehicle: Vehicle, draws: Draws) {
    this.vehicle = vehicle
    this.draws = draws
    this.level = vehicle.capacity * draws.between(0.5, 0.9)
  }

  advance(time: number): Motion {
    if (time >= this.phase.until) this.phase = this.nextPhase(time)
    const { vehicle, phase } = this
    const rate = { moving: vehicle.driving, idle: vehicle.idling, stopped: 0 }[phase.motion]
    const used = Math.min(this.level, (rate * this.draws.between(0.7, 1.3) * STEP) / HOUR)
    this.used += used
    this.level += phase.flow * STEP - used
    return phase.motion
  }

  private nextPhase(time: number): Phase {
    const { draws, vehicle, wasDriving, phase } = this
    this.wasDriving = false
    if (phase.leaves > 0) return { ...phase, until: time + phase.leaves, flow: 0, leaves: 0 }
    const share = this.level / vehicle.capacity
    const hour = (time % DAY) / HOUR
    if (wasDriving && share < draws.between(0.2, 0.5)) return this.filling(time)
    if (wasDriving && share > 0.4 && draws.happens(0.06)) return this.draining(time)
    if (wasDriving && hour > 17) {
      const until = time - (time % DAY) + DAY + draws.between(5, 7) * HOUR
      return { motion: 'stopped', until, flow: 0, leaves: 0 }
    }
    if (wasDriving) {
      const motion = draws.happens(0.5) ? 'idle' : 'stopped'
      return { motion, until: time + draws.between(5, 60) * MINUTE, flow: 0, leaves: 0 }
    }
    this.wasDriving = true
    return { motion: 'moving', until: time + draws.between(20, 150) * MINUTE, flow: 0, leaves: 0 }
  }

  private filling(time: number): Phase {
    const { draws, vehicle } = this
    const target = vehicle.capacity * draws.between(0.75, 1)
    const motion = draws.happens(0.3) ? 'idle' : 'stopped'
    return this.change('filled', time, target - this.level, vehicle.pump / MINUTE, motion)
  }

  /** Half of them by a hose in minutes, half of them through the return line in hours. */
  private draining(time: number): Phase {
    const { draws, vehicle } = this
    const amount = vehicle.capacity * draws.between(0.08, 0.35)
    const isFast = draws.happens(0.5)
    const hours = isFast ? draws.between(0.05, 0.4) : draws.between(2, 8)
    return this.change('drained', time, amount, amount / (hours * HOUR), 'stopped')
  }

  private change(
    kind: TrueEvent['kind'],
    time: number,
    amount: number,
    rate: number,
    motion: Motion,
  ): Phase {
    const steps = Math.ceil(amount / rate / STEP)
    const end = time + steps * STEP
    this.events.push({ kind, start: time, end, amount })
    const flow = ((kind === 'filled' ? 1 : -1) * amount) / (steps * STEP)
    return { motion, until: end, flow, leaves: this.draws.between(2, 20) * MINUTE }
  }
}

class Gauge {
  private readonly vehicle: Vehicle
  private readonly sensor: Sensor
  private readonly draws: Draws
  private shown: number | null = null
  private tilt = 0
  private old: number | null = null
  private share = 0
  private wave = 0

  constructor(vehicle: Vehicle, sensor: Sensor, draws: Draws) {
    this.vehicle = vehicle
    this.sensor = sensor
    this.draws = draws
  }

  advance(time: number, level: number, motion: Motion): void {
    const { sensor, draws } = this
    this.share = level / this.vehicle.capacity
    const weight = sensor.damping === 0 ? 1 : 1 - Math.exp(-STEP / sensor.damping)
    this.shown ??= this.share
    // A damped gauge shows what it had before while its engine is off.
    if (motion !== 'stopped' || sensor.damping === 0)
      this.shown += (this.share - this.shown) * weight
    const tau = 120 * SECOND
    const kept = Math.exp(-STEP / tau)
    const tilt = motion === 'moving' ? sensor.tilt : sensor.tilt / 3
    if (motion === 'moving')
      this.tilt = this.tilt * kept + draws.normal() * tilt * Math.sqrt(1 - kept * kept)
    this.wave = sensor.drift * Math.sin((2 * Math.PI * (time - 9 * HOUR)) / DAY)
  }

  /** Tenths of liters. */
  read(motion: Motion): number | null {
    const { sensor, draws, vehicle } = this
    if (motion === 'stopped' && sensor.off === 'nothing') return null
    if (motion === 'stopped' && sensor.off === 'zero') return 0
    if (motion === 'stopped' && sensor.off === 'old') return this.old
    if (draws.happens(sensor.spikes)) return draws.happens(0.7) ? 0 : vehicle.capacity * 10
    const deviation = motion === 'moving' ? sensor.slosh : sensor.noise
    const seen = this.shown! + this.tilt + this.wave + draws.normal() * deviation
    const held = Math.min(sensor.ceiling, Math.max(sensor.floor, seen))
    const sent = sensor.quantum === 0 ? held : Math.round(held / sensor.quantum) * sensor.quantum
    this.old = Math.round(sent * vehicle.capacity * 10)
    return this.old
  }
}
