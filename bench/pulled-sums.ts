import { Fleetgate } from '../packages/client/src/index.ts'
import { fixAt } from './large-fleet.ts'

/** Sums of whole numbers, so that they are exact: degrees in 1e-7, the rest in hundredths or milliseconds. */
export type PulledSums = {
  rows: bigint
  latitudes: bigint
  speeds: bigint
  times: bigint
  /** These are sums over the latest position of each object. */
  latestTimes: bigint
  latestOdometers: bigint
}

/** SQL of these sums, for DuckDB and for PostgreSQL. `timeMs`: the milliseconds of `time_device` in its dialect. */
export function sumsQuery(from: string, id: string, timeMs: string): string {
  const sum = (what: string) => `CAST(sum(CAST(round(${what}) AS bigint)) AS varchar)`
  return `
    SELECT * FROM (
      SELECT CAST(count(*) AS varchar) AS rows, ${sum('latitude * 10000000')} AS latitudes,
        ${sum('speed * 100')} AS speeds, ${sum(timeMs)} AS times
      FROM ${from}
    ) AS every, (
      SELECT ${sum(timeMs)} AS "latestTimes", ${sum('odometer * 100')} AS "latestOdometers"
      FROM (
        SELECT *, row_number() OVER (PARTITION BY ${id} ORDER BY time_device DESC) AS place FROM ${from}
      ) AS placed WHERE place = 1
    ) AS latest`
}

export function sumsOf(row: Record<string, unknown>): PulledSums {
  const { rows, latitudes, speeds, times, latestTimes, latestOdometers } = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, BigInt(String(value))]),
  ) as PulledSums
  return { rows, latitudes, speeds, times, latestTimes, latestOdometers }
}

/** The sums of the fixes that were sent: this many of each object. */
export function sentSums(ids: readonly number[], steps: number) {
  const sums = { rows: 0n, latitudes: 0n, speeds: 0n, times: 0n }
  for (const id of ids) {
    // Sums of one object fit into numbers.
    let [latitudes, speeds, times] = [0, 0, 0]
    for (let step = 0; step < steps; step += 1) {
      const { latitude, speed, timeDevice } = fixAt(id, step)
      latitudes += Math.round(latitude * 1e7)
      speeds += Math.round(speed! * 100)
      times += timeDevice
    }
    sums.rows += BigInt(steps)
    sums.latitudes += BigInt(latitudes)
    sums.speeds += BigInt(speeds)
    sums.times += BigInt(times)
  }
  return sums
}

/** The sums of the latest positions that the server answers. */
export async function answeredSums(url: string, apiKey: string, ids: readonly number[]) {
  const sums = { latestTimes: 0n, latestOdometers: 0n }
  const client = new Fleetgate({ baseUrl: url, apiKey })
  for (const { time_device, odometer } of await client.positions.latest(ids)) {
    sums.latestTimes += BigInt(Date.parse(time_device!))
    sums.latestOdometers += BigInt(Math.round(odometer! * 100))
  }
  return sums
}

/** The names of the sums that are not equal. */
export function differences(pulled: PulledSums, expected: PulledSums): string[] {
  return (Object.keys(expected) as (keyof PulledSums)[])
    .filter((name) => pulled[name] !== expected[name])
    .map((name) => `${name}: ${pulled[name]} instead of ${expected[name]}`)
}
