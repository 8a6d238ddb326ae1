import { bareFix, type Fix } from '../packages/server/src/base/domain/position/fix.ts'

/** Every packet of a benchmark is later than this, and within the day by which a device's clock may be ahead. */
const START = Date.now() - 30 * 86_400_000
const STEP_MS = 10_000

/** Step `step` of vehicle `vehicle` of a driving fleet: one packet every ten seconds. */
export function packetAt(vehicle: number, step: number): Fix {
  const time = START + step * STEP_MS
  return {
    ...bareFix(
      time,
      Date.now(),
      degrees(30 + vehicle / 1e3 + step / 1e4),
      degrees(-97 - step / 2e4),
    ),
    altitude: 160.5,
    angle: (step * 7) % 360,
    speed: 40 + (step % 50) / 2,
    hdop: 0.9,
    gpsLevel: 11,
    ignition: true,
  }
}

export function identOf(vehicle: number): string {
  return String(350_000_000_000_000 + vehicle)
}

/** A native batch in wire format: the same step of `vehicles`. */
export function nativeRequest(token: string, vehicles: readonly number[], step: number): Buffer {
  const rows = vehicles.map((vehicle) => {
    const fix = packetAt(vehicle, step)
    return {
      ident: identOf(vehicle),
      time_device: new Date(fix.timeDevice).toISOString(),
      latitude: fix.latitude,
      longitude: fix.longitude,
      altitude: fix.altitude,
      angle: fix.angle,
      speed: fix.speed,
      hdop: fix.hdop,
      satellites: fix.gpsLevel,
      ignition: fix.ignition,
    }
  })
  const body = Buffer.from(JSON.stringify(rows))
  const head = [
    'POST /feed/v1/positions HTTP/1.1',
    'Host: 127.0.0.1',
    `x-feed-token: ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** One packet as a phone sends it, in wire format. */
export function osmandRequest(token: string, vehicle: number, step: number): Buffer {
  const fix = packetAt(vehicle, step)
  const query = [
    `id=${identOf(vehicle)}`,
    `timestamp=${fix.timeDevice / 1000}`,
    `lat=${fix.latitude}`,
    `lon=${fix.longitude}`,
    `speed=${(fix.speed! / 1.852).toFixed(3)}`,
    `bearing=${fix.angle}`,
    `altitude=${fix.altitude}`,
    'accuracy=4.5',
    'batt=87',
  ]
  const path = `/feed/v1/${token}/osmand?${query.join('&')}`
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
}

function degrees(value: number): number {
  return Number(value.toFixed(6))
}
