/*
 * Positions of a device of Traccar, of the kinds that its users have.
 */

export const [SECOND_MS, DAY_MS] = [1_000, 86_400_000]

export type Sent = {
  device: number
  time: number
  isValid: boolean
  place: [latitude: number, longitude: number]
  accuracy: number
}

/** Whether Fleetgate stores such a position, unless it was deleted here. */
export function isAcceptable({ isValid, place, accuracy, time }: Sent): boolean {
  const isDated = time > Date.UTC(1990, 0) && time < Date.UTC(2035, 0)
  return isDated && isValid && place[0] !== 0 && accuracy < 1_000
}

/** Names the moment of a device. */
export const keyOf = ({ device, time }: Pick<Sent, 'device' | 'time'>) => `${device} ${time}`

/** Positions to come. `step`: the milliseconds that the times of the database tell apart. */
export function openTracker(step: number) {
  const last = new Map<number, number>()
  const whole = (time: number) => Math.floor(time / step) * step

  function at(device: number, time: number): Sent {
    const latitude = 41 + (Math.floor(time / SECOND_MS) % 86_400) * 1e-5
    return {
      device,
      time: whole(time),
      isValid: true,
      place: [latitude, 2 + device / 100],
      accuracy: 5,
    }
  }

  return {
    at,
    /** Most are of now. Others are late, have the time of the one before, no fix, a wrong clock or a wrong place. */
    next(device: number): Sent {
      const now = whole(Date.now())
      const late = (days: number) => now - Math.ceil(Math.random() * days * 86_400) * SECOND_MS
      const usual = at(device, now)
      const before = last.get(device) ?? now
      last.set(device, now)
      const kind = Math.random()
      if (kind < 0.04) return at(device, late(3))
      if (kind < 0.05) return at(device, late(20))
      if (kind < 0.08) return at(device, before)
      if (kind < 0.11) return { ...usual, isValid: false }
      if (kind < 0.12) return { ...usual, place: [0, 0] }
      if (kind < 0.125) return { ...usual, time: Date.UTC(1980, 0, 6) + (now % DAY_MS) }
      if (kind < 0.13) return { ...usual, time: Date.UTC(2036, 0, 1) + (now % DAY_MS) }
      if (kind < 0.14) return { ...usual, accuracy: 4_000 }
      if (kind < 0.15) return { ...usual, place: [usual.place[0] + 5, usual.place[1]] }
      return usual
    },
  }
}

/** `2026-03-01 00:00:00.000` */
export function written(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '')
}

const MOVED = { altitude: 30, speed: 12.5, course: 90, attributes: { sat: 9, ignition: true } }

/** The row of `tc_positions`. */
export function rowOf({ device, time, isValid, place: [latitude, longitude], accuracy }: Sent) {
  const moments = { fixtime: written(time), devicetime: written(time) }
  const about = { protocol: 'teltonika', deviceid: device, servertime: written(Date.now()) }
  return { ...about, ...moments, valid: isValid, latitude, longitude, accuracy, ...MOVED }
}

/** The body that Traccar forwards with `forward.type=json`. */
export function forwardedOf(sent: Sent) {
  const { device, time, isValid, place, accuracy } = sent
  const [latitude, longitude] = place
  const moment = new Date(time).toISOString().replace('Z', '+00:00')
  const position = {
    ...{ id: 0, deviceId: device, protocol: 'teltonika', outdated: false, valid: isValid },
    ...{ serverTime: new Date().toISOString(), deviceTime: moment, fixTime: moment },
    ...{ latitude, longitude, accuracy, ...MOVED },
  }
  const about = { id: device, uniqueId: `imei-${device}`, name: `Van ${device}`, groupId: 0 }
  return { position, device: { ...about, attributes: {} } }
}
